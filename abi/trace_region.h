/* SPDX-License-Identifier: MIT */
/*
 * The trace region: all data that firmware and host share, as types. docs/trace-region.md describes
 * it; no other header repeats these types. The region is position independent: every "offset"
 * counts bytes from its start. All words are little-endian. Only the firmware writes them, except
 * the few that are marked HOST, which are never trusted.
 */
#ifndef ABI_TRACE_REGION_H
#define ABI_TRACE_REGION_H

#include "abi/machine.h"
#include "abi/perf_event.h"
#include "abi/precise_ledger.h"
#define TR_MAGIC   0x4652455045524142ULL /* the bytes "BAREPERF" */
#define TR_VERSION 0x0001000aU           /* major << 16 | minor */
#define TR_PAGE    4096U
#define TR_ALIGN   (2U << 20) /* alignment of a region in RAM */

#define TR_MAX_CPUS   256U
#define TR_MAX_EVENTS 1024U /* (attr, CPU) pairs */
#define TR_MAX_IMAGES 16U
#define TR_MAX_RINGS  256U

#define TR_RING_SIZE_MAX (1ULL << 31) /* limit of a ring's data and of an AUX area, bytes */

/* The most bytes in flight in an overwritable ring of this size: ringbuf/ring.h, G and H. */
#define TR_IN_FLIGHT(size) ((size) / 4)

/* Default limit of an event's samples per second: kernel.perf_event_max_sample_rate. */
#define TR_SAMPLE_RATE 100000U
#define TR_SLOWEST     1000000U /* the largest N of the mailbox's `slower N' */

/* pid of everything: the machine is perf's one process, a CPU is its thread. */
#define TR_PID 1U
static inline uint32_t tr_tid(uint32_t cpu)
{
	return TR_PID + cpu;
}

enum tr_state {
	TR_BOOTING = 0,   /* tables are not complete */
	TR_IDLE = 1,      /* waits for a command in the mailbox */
	TR_RECORDING = 2, /* tables of this run are complete, rings are live */
	TR_COMPLETE = 3,  /* the run has ended, everything is in the rings and the ledger */
	TR_FAILED = 4,    /* the command was refused or failed; message says why */
	TR_PANIC = 5,     /* an exception in bareperf's code; message and console have details */
};

/* Where a table lies: entry i starts at offset + i * stride. */
struct tr_table {
	uint64_t offset;
	uint32_t count;  /* entries in use */
	uint32_t stride; /* bytes from one entry to the next, at least sizeof(entry) */
};

enum tr_clock_source {
	TR_CLOCK_ARCHITECTURAL = 1, /* CPUID 15h, CNTFRQ_EL0 */
	TR_CLOCK_CPUID_16H = 2,
	TR_CLOCK_PM_TIMER = 3,   /* measured against the ACPI PM timer */
	TR_CLOCK_HPET = 4,       /* measured against the HPET */
	TR_CLOCK_HYPERVISOR = 5, /* reported by the hypervisor */
};

/* ns = time_zero + cycles * time_mult >> time_shift, in 128 bits; perf's own conversion.
 * The firmware chooses time_zero so that 0 ns is its entry. */
struct tr_clock {
	uint64_t frequency; /* of the cycle counter, Hz */
	uint64_t time_zero;
	uint32_t time_mult;
	uint16_t time_shift;
	uint16_t source; /* enum tr_clock_source */
	uint64_t entry_cycles;
	uint64_t entry_epoch; /* wall clock at entry, s since 1970-01-01 UTC; 0: unknown */
	uint8_t reserved[24];
};
_Static_assert(sizeof(struct tr_clock) == 64, "tr_clock");

#define TR_LEASE_MS      200U    /* a reader renews its lease at least this often */
#define TR_LEASE_LOST_MS 2000U   /* a lease that was not renewed for this long has ended */
#define TR_READER_MS     10000U  /* limit of a run's wait for a reader with a lease */
#define TR_STEADY_LOOKS  131072U /* about 130 ms if a pause takes 1 us, as in an emulator */
#define TR_READER_END_MS 30000U  /* limit of the wait for a finished reader to withdraw */

#define TR_BACKTRACE 64U    /* addresses */
#define TR_STALL_MS  10000U /* limit of a CPU's wait for room while no tail moves */

/* The reader of the rings: HOST words (docs/trace-region.md, "The reader"). A reader may store them
 * before the magic is there; the firmware copies each word once, and clears ready at boot. */
struct tr_reader {
	uint32_t id;     /* HOST: the reader that owns the tails, any value; 0: none */
	uint32_t lease;  /* HOST: changes while the reader is alive */
	uint64_t ready;  /* HOST: the run whose rings the reader reads */
	uint32_t peer;   /* HOST: the ivshmem peer that the doorbells wake: 16 bits */
	uint32_t steady; /* HOST: not 0: a run waits for the reader in steps of TR_STEADY_LOOKS */
	uint8_t reserved[40];
};
_Static_assert(sizeof(struct tr_reader) == 64, "tr_reader");
_Static_assert(offsetof(struct tr_reader, steady) == 20, "tr_reader.steady");

/* The reader's state when the run began. */
enum tr_reader_found {
	TR_READER_NONE = 0,  /* no reader was announced */
	TR_READER_READY = 1, /* it was ready before the first event was enabled */
	TR_READER_GONE = 2,  /* it withdrew or let its lease end: begun without it */
	TR_READER_LATE = 3,  /* it renewed its lease but was not ready in time: likewise */
};

/* The place of a crash of the workload or of bareperf (state TR_FAILED, TR_PANIC). */
struct tr_backtrace {
	uint32_t cpu;
	uint32_t count;                /* 0: no crash */
	uint64_t frames[TR_BACKTRACE]; /* address, then return addresses, innermost first */
};
_Static_assert(sizeof(struct tr_backtrace) == 8 + 8 * TR_BACKTRACE, "tr_backtrace");

/* The region's first page. */
struct tr_header {
	uint64_t magic; /* TR_MAGIC, written last */
	uint32_t version;
	uint32_t header_size;
	uint64_t address; /* physical address of this header: a copy elsewhere is not a region */
	uint64_t nonce;   /* differs from boot to boot */
	uint64_t size;    /* of the whole region, bytes */
	uint32_t page_size;
	uint16_t machine; /* ELF's e_machine: EM_X86_64, EM_AARCH64 */
	uint16_t reserved_0;
	uint32_t state; /* enum tr_state, written with release */
	int32_t status; /* the last command's result: 0 or a negative errno */
	uint64_t run;   /* recordings since boot; changes before state becomes TR_RECORDING */
	struct tr_clock clock;
	struct tr_table cpus;         /* struct tr_cpu */
	struct tr_table events;       /* struct tr_event */
	struct tr_table event_ledger; /* struct tr_event_ledger, entry i is event i's */
	struct tr_table images;       /* struct tr_image */
	struct tr_table rings;        /* struct tr_ring */
	struct tr_table ring_ledger;  /* struct tr_ring_ledger, entry i is ring i's */
	struct tr_table doorbells;    /* struct tr_doorbell, entry i belongs to ring i's owner */
	struct tr_table mailbox;      /* one struct tr_mailbox */
	struct tr_table console;      /* one struct tr_console, followed by its text */
	uint64_t reader_wait;         /* ns that this run waited for its reader */
	uint32_t reader_found;        /* enum tr_reader_found, for this run */
	int32_t exit_status;          /* the last workload's: result of main() or exit() */
	uint64_t memory;              /* bytes of RAM, by the firmware's memory map; 0: unknown */
	uint64_t heartbeat;           /* changes while the machine is alive and handles its ticks */
	uint64_t heap;   /* bytes of the firmware's heap in use when the last wait began */
	uint64_t notify; /* address of code that runs at each wakeup, for a debugger; 0: none */
	struct tr_reader reader;
	char producer[128];   /* version of the firmware */
	char command[1024];   /* command line of this run, NUL-terminated, as all text here */
	char message[1024];   /* the reason for TR_FAILED or TR_PANIC */
	uint64_t line_faults; /* refused requests of a serial line's host, since boot */
	uint64_t beat_time;   /* ns of our clock at the last change of heartbeat */
	uint64_t seal;        /* tr_header_seal() */
	uint32_t salvaged;    /* TR_SALVAGED_*, set by the code that reads data after a reset */
	uint32_t reserved_3;
	uint64_t forced_stop; /* code address at which a debugger ends the recording; 0: none */
	struct tr_backtrace backtrace;
	struct tr_table streams; /* struct tr_stream, by enum tr_stream_kind */
	uint8_t reserved_2[960];
};
#define TR_SALVAGED_CUT  (1U << 0) /* heads are cut to the data known to be in memory */
#define TR_SALVAGED_TORN (1U << 1) /* ledgers are not from one moment */
_Static_assert(offsetof(struct tr_header, state) == 48, "tr_header.state");
_Static_assert(offsetof(struct tr_header, clock) == 64, "tr_header.clock");
_Static_assert(offsetof(struct tr_header, cpus) == 128, "tr_header.cpus");
_Static_assert(offsetof(struct tr_header, reader_wait) == 272, "tr_header.reader_wait");
_Static_assert(offsetof(struct tr_header, memory) == 288, "tr_header.memory");
_Static_assert(offsetof(struct tr_header, heartbeat) == 296, "tr_header.heartbeat");
_Static_assert(offsetof(struct tr_header, notify) == 312, "tr_header.notify");
_Static_assert(offsetof(struct tr_header, reader) == 320, "tr_header.reader");
_Static_assert(offsetof(struct tr_header, exit_status) == 284, "tr_header.exit_status");
_Static_assert(offsetof(struct tr_header, producer) == 384, "tr_header.producer");
_Static_assert(offsetof(struct tr_header, beat_time) == 2568, "tr_header.beat_time");
_Static_assert(offsetof(struct tr_header, forced_stop) == 2592, "tr_header.forced_stop");
_Static_assert(offsetof(struct tr_header, backtrace) == 2600, "tr_header.backtrace");
_Static_assert(offsetof(struct tr_header, streams) == 3120, "tr_header.streams");
_Static_assert(offsetof(struct tr_header, command) == 512, "tr_header.command");
_Static_assert(sizeof(struct tr_header) == TR_PAGE, "tr_header fills a page");

#define TR_CPU_BOOT   (1U << 0) /* the CPU that the firmware started */
#define TR_CPU_ONLINE (1U << 1)
#define TR_CPU_TRACED (1U << 2) /* traced in this run */
#define TR_CPU_STEAL  (1U << 3) /* the hypervisor has reported the time that it took: stolen */
#define TR_CPU_GUEST  (1U << 4) /* a guest's, sampled from outside: no option changes its rings */

struct tr_cpu {
	uint32_t cpu;
	uint32_t flags;       /* TR_CPU_* */
	uint64_t hw_id;       /* APIC id; MPIDR_EL1 affinity */
	uint64_t signature;   /* CPUID.01H:EAX; MIDR_EL1 */
	int64_t clock_offset; /* cycles to add to this CPU's counter to get the boot CPU's */
	uint64_t ticks;       /* housekeeping ticks of this run */
	uint64_t tick_cycles; /* cycles spent in ticks, sum */
	uint64_t tick_max;    /* cycles of the longest tick */
	uint64_t spurious;    /* interrupts of this run that had no cause */
	char vendor[16];      /* CPUID leaf 0; implementer */
	char model[64];
	uint64_t clock_error; /* bound of clock_offset's error, cycles; 0 on the boot CPU */
	/* This CPU's performance counters, one bit each as in IA32_PERF_GLOBAL_CTRL (fixed ones
	 * from 32), PERF_CNTR_GLOBAL_CTL or PMCNTENSET_EL0 (31: cycle counter); 0: not checked */
	uint64_t counters;
	uint64_t leftovers; /* counters that ran at take-over, now stopped and cleared; also: */
#define TR_LEFTOVERS_TRACE (1ULL << 62) /* x86: branch trace, its store, PEBS or LBR was on */
	uint64_t foreign; /* counters that other software uses: they do not keep our writes */
	/* hw_id >> core_shift counts cores, hw_id >> package_shift packages; 0 and 0: unknown */
	uint32_t core_shift, package_shift;
	uint64_t stall_ns;   /* --lossless: ns of stalls in this run, outside all event times */
	uint64_t stalls;     /* number of stalls */
	uint64_t given_up;   /* stalls that ended because no room came within TR_STALL_MS */
	uint64_t frozen;     /* ns of stalls during which the clock was stopped as well */
	char hypervisor[16]; /* the hypervisor's name; "": none is known */
	uint64_t stolen;     /* ns of this run that the hypervisor took for other work */
	uint64_t uncounted;  /* ns in which a counter that had to count did not (docs/kvm.md) */
	uint32_t cache_line; /* bytes of a line of its data cache; 0: unknown */
	uint32_t erroneous;  /* branch records of this run that no branch made; in no stack */
};
_Static_assert(offsetof(struct tr_cpu, stall_ns) == 184, "tr_cpu.stall_ns");
_Static_assert(sizeof(struct tr_cpu) == 256, "tr_cpu");
#define TR_UNKNOWN UINT64_MAX /* a count that was not taken */
#define TR_NONE    UINT32_MAX /* "no such index" */

/* One event on one CPU, as perf_event_open(2) would have made it. */
struct tr_event {
	struct perf_event_attr attr;
	uint64_t id;         /* perf's id: in IDENTIFIER, in sample_id trailers, in LOST */
	uint32_t cpu, evsel; /* evsel: index on the command line, the same on every CPU */
	uint32_t ring;       /* index of its ring */
	uint32_t group;      /* evsel of its group's leader, + 1; 0: no group */
	uint64_t config3; /* newer perf_event_attr's field, which readers of the old attr ignore */
	char name[64];    /* as the user wrote it */
	uint64_t config4; /* likewise */
	uint8_t reserved_2[24];
};
_Static_assert(sizeof(struct tr_event) == 256, "tr_event");

/*
 * The counts of an event's records. "delivered" is the reader's own count.
 *   generated = written + lost + in flight
 *   written   = delivered + unread + overwritten
 *   count     = period + residue             (counting events)
 *   period    = sum of delivered PERIODs + period_lost, when all is read
 * The firmware counts privately and publishes a copy: at each tick, at each
 * wakeup, at the end and in a panic.
 */
struct tr_event_ledger {
	uint64_t generated; /* records requested, counted before space is reserved */
	uint64_t written;
	uint64_t lost;         /* records without room */
	uint64_t throttled;    /* THROTTLE episodes */
	uint64_t count;        /* the counter's events */
	uint64_t period;       /* sum of the PERIODs of all samples generated */
	uint64_t period_lost;  /* sum of the lost samples' PERIODs */
	uint64_t residue;      /* counted since the last sample */
	uint64_t time_enabled; /* ns */
	uint64_t time_running; /* ns */
	/* Of a branch trace. count is the number of taken branches, if a counter counted them:
	 * branch_records + branch_lost = count + branch_interrupts. */
	uint64_t branch_records;
	uint64_t branch_interrupts; /* branch_records that are deliveries of interrupts */
	uint64_t branch_returns;    /* part of count: returns from bareperf's handlers */
	uint64_t branch_lost;       /* TR_UNKNOWN: not counted */
	uint64_t slower;            /* samples are this many times rarer than attr says; 0: 1 */
	uint64_t precise;           /* samples that the hardware took itself (x86: PEBS, IBS) */
};
_Static_assert(sizeof(struct tr_event_ledger) == 128, "tr_event_ledger");

/* A loaded piece of code. The host makes perf's MMAP2 and BUILD_ID records from these. */
struct tr_image {
	uint64_t address;      /* address of the first executable byte */
	uint64_t size;         /* of the executable mapping, whole pages */
	uint64_t link_address; /* that byte's p_vaddr in the ELF file that perf gets */
	uint32_t build_id_size;
	uint8_t build_id[20];
	char name[208]; /* file name; the host finds the file by build id */
};
_Static_assert(sizeof(struct tr_image) == 256, "tr_image");

#define TR_RING_BACKWARD (1U << 0) /* overwritable, written from its end to its start */

struct tr_ring {
	uint32_t cpu;
	uint32_t flags;       /* TR_RING_* */
	uint32_t owner;       /* index of the owning event */
	uint32_t vector;      /* of the owner's doorbell, if the channel has vectors */
	uint64_t control;     /* offset of the ring's struct perf_event_mmap_page */
	uint64_t data_offset; /* from the region's start, unlike the control page's */
	uint64_t data_size;   /* a power of two of pages */
	uint64_t aux_offset;
	uint64_t aux_size;         /* 0: no AUX area */
	uint64_t aux_watermark;    /* bytes; 0: snapshot mode */
	uint32_t wakeup_events;    /* 0: wake only by bytes */
	uint32_t wakeup_watermark; /* bytes; half of data_size always wakes */
	uint8_t reserved[56];
};
_Static_assert(sizeof(struct tr_ring) == 128, "tr_ring");

/* The cause of a wakeup. sent = sum of causes - coalesced. */
enum tr_wakeup_cause {
	TR_WAKEUP_THRESHOLD = 0, /* wakeup_events, wakeup_watermark, or half of the ring */
	TR_WAKEUP_FULL = 1,      /* a record had no room; once per episode */
	TR_WAKEUP_AUX = 2,       /* aux_watermark passed, or an AUX record was truncated */
	TR_WAKEUP_END = 3,       /* the last record of a run was written */
	TR_WAKEUP_CAUSES = 4,
};

/* Published together with the events' ledgers. */
struct tr_ring_ledger {
	uint64_t data_head;    /* head at the time of this copy */
	uint64_t lost;         /* lost records: the sum of the events' lost */
	uint64_t reported;     /* lost records that LOST records have reported */
	uint64_t lost_records; /* LOST records written */
	uint64_t causes[TR_WAKEUP_CAUSES];
	uint64_t sent;
	uint64_t coalesced;   /* causes while a wakeup was already pending */
	uint64_t tail_faults; /* invalid data_tail or aux_tail; a repeated value counts once */
	uint64_t aux_head;    /* bytes, free-running */
	uint64_t aux_written; /* bytes put into the AUX area */
	uint64_t aux_lost;    /* bytes known to be lost */
	uint64_t aux_skipped; /* bytes of padding */
	uint64_t aux_overwritten;
	uint64_t aux_records;     /* AUX records written */
	uint64_t aux_truncated;   /* AUX records with TRUNCATED */
	uint64_t repeated;        /* doorbells rung again for an earlier wakeup */
	uint64_t operations_rest; /* since SPE's last choice, at each stop; with jitter at most */
	/* Only for a region in RAM (docs/crash-store.md): one cache line, which is written last. */
	uint64_t kept_head;     /* all records before this data_head have reached memory */
	uint64_t kept_aux_head; /* the same for the AUX area */
	uint64_t kept_read;     /* 1: a reader was announced or has read data */
	uint64_t kept_seal;     /* tr_ledger_seal() at that moment; 0: nothing was kept */
	struct tr_precise_ledger precise; /* of the ring's CPU */
};
_Static_assert(sizeof(struct tr_ring_ledger) == 256, "tr_ring_ledger");
#define TR_KEPT_SIZE 32U
_Static_assert(offsetof(struct tr_ring_ledger, kept_head) == 160, "tr_ring_ledger.kept_head");

/* One cache line per owner. The writer exchanges pending for 1 and rings only if pending was 0. */
struct tr_doorbell {
	uint32_t pending; /* HOST clears it, the firmware sets it */
	uint32_t vector;
	uint32_t snapshot; /* HOST: a changed value requests a snapshot of the AUX area */
	uint8_t reserved[52];
};
_Static_assert(sizeof(struct tr_doorbell) == 64, "tr_doorbell");

#define TR_MAILBOX_TEXT 2032

/* Commands from the host. It writes length and text, then the next request with release. The
 * firmware carries it out, writes status and reply_text, then reply = request with release. */
struct tr_mailbox {
	uint32_t request;               /* HOST */
	uint32_t length;                /* HOST: bytes of text, without a NUL */
	char text[TR_MAILBOX_TEXT + 8]; /* HOST */
	uint32_t reply;
	int32_t status; /* 0 or a negative errno */
	char reply_text[TR_MAILBOX_TEXT + 8];
};
_Static_assert(sizeof(struct tr_mailbox) == TR_PAGE, "tr_mailbox fills a page");

/* The console's text, a ring that overwrites its oldest bytes. */
struct tr_console {
	uint64_t head; /* bytes written since boot, free-running */
	uint32_t size; /* of text, a power of two */
	uint32_t reserved;
	char text[];
};
_Static_assert(sizeof(struct tr_console) == 16, "tr_console");

/* The traced program's outputs, separate from each other and from the console. */
enum tr_stream_kind {
	TR_STREAM_OUT = 0,   /* its standard output */
	TR_STREAM_ERROR = 1, /* its standard error */
	TR_STREAM_FILES = 2, /* the files that --fetch asked for, each behind a struct tr_file */
	TR_STREAMS = 3,
};

/* A ring of bytes that the reader empties. While a reader is announced (struct tr_reader), no
 * unread byte is overwritten: the program waits for room. */
struct tr_stream {
	uint64_t head;   /* bytes written since boot, free-running */
	uint64_t first;  /* position of the oldest available byte of this run */
	uint64_t lost;   /* this run's dropped bytes: no reader, or no room in time */
	uint64_t offset; /* of the ring's bytes, from the region's start */
	uint32_t size;   /* of the ring, a power of two */
	uint32_t reserved;
	uint64_t tail; /* HOST: bytes read */
	uint8_t reserved_1[16];
};
_Static_assert(sizeof(struct tr_stream) == 64, "tr_stream");

/* Precedes a file's bytes in TR_STREAM_FILES. */
struct tr_file {
	uint32_t index; /* index of the --fetch option, from 0 */
	int32_t status; /* 0, or a negative errno if there are no bytes */
	uint64_t size;
	uint32_t crc; /* CRC-32C (RFC 3720) of the bytes */
	uint32_t reserved;
};
_Static_assert(sizeof(struct tr_file) == 24, "tr_file");

#endif
