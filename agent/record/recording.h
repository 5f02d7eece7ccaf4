/* SPDX-License-Identifier: MIT */
/*
 * A recording between its rooms:
 *
 *	recording.c	the one that is live; its errors
 *	record.c	what it is made of; opens and closes it
 *	record_events.c	its events; record_aux.c: their AUX areas
 *	record_run.c	its reader, the workload, how it ended
 *	record_cpus.c	all traced CPUs: started, stopped, signalled
 *	record_cpu.c	one of them, from start to stop
 *	record_tick.c	its housekeeping; record_tick_stalled.c: of a stalled CPU
 *	record_stop.c	the host's stop
 *	record_key.c	a key that ends it
 *	record_force.c	a debugger that ends it
 *	record_switch.c	the program, which may have nothing recorded for a while
 *	record_regions.c	what is counted between its marks
 *	record_lossless.c	where it stands still until there is room
 *	image_records.c	images that the firmware loads meanwhile
 *	image_frames.c	whose callers are told
 *	uefi_phases.c	what the firmware tells of its boot
 *	record_ledger.c	what it tells the host; record_summary.c, record_counters.c, and meanwhile
 *	record_progress.c	people
 */
#ifndef AGENT_RECORD_RECORDING_H
#define AGENT_RECORD_RECORDING_H

#include "agent/payload/payload_run.h"
#include "channel/channel.h"
#include "channel/stop_key.h"
#include "command/command.h"
#include "lib/console/framebuffer.h"
#include "pmu/context.h"
#include "pmu/tick.h"
#include "ringbuf/aux.h"
#include "ringbuf/keep.h"
#include "ringbuf/region_writer.h"

/* One traced CPU. Only that CPU touches it between start and stop, but for the flags. */
struct traced_cpu {
	struct recording *recording;
	unsigned cpu;
	unsigned index;       /* of its ring */
	struct tr_ring place; /* of it, and all else that the directory says */
	struct perf_event *events;
	struct perf_event_context context;
	const struct perf_event *failed; /* that error is about; NULL: none in particular */
	struct ring ring;
	struct ring_owner owner;
	struct tick tick;
	struct perf_event *aux_event; /* that fills the AUX area; NULL: there is none */
	struct ring_aux aux;
	struct ring_keep keep; /* of a region in RAM */
	uint64_t slower;       /* by the host; 0: it said nothing */
	uint32_t snapshots;    /* asked for by the host, and taken */
	uint32_t images;       /* of its first event's records: UEFI's images, no samples */
	uint8_t *scratch;
	int code;
	bool live;                    /* between start and stop: an NMI may stop it */
	bool stopped;                 /* by the host, before the workload's end */
	bool forced;                  /* by a debugger: nothing is left to be stopped */
	bool paused;                  /* by the program. Released */
	struct mark_regions *regions; /* what is counted between its marks, or NULL */
	/* --lossless; record_lossless.h */
	bool waits;          /* it stands for want of room. Released */
	bool stands_now;     /* for want of its own or another's */
	uint64_t aux_wanted; /* bytes of the AUX area that its source has asked for */
	uint64_t stood, stands, given_up, frozen; /* struct tr_cpu's */
	bool started; /* its events count; or error says why not. Released */
};

/* What is told of it while it goes on. */
struct recording_progress {
	bool resident;
	uint64_t began, next, next_line; /* ns of clock_steady() */
	unsigned length, drawn, sent;    /* of text, and how much of it is there already */
	char text[FRAMEBUFFER_STATUS + 1];
};

/* Where a key may come from that ends it. */
struct recording_keys {
	struct stop_key of_firmware; /* resident, by its console's line */
	unsigned looks;
};

struct recording {
	const struct command *command;
	struct trace_region *region;
	struct channel *channel;
	struct event_spec specs[COMMAND_MAX_EVENTS];
	unsigned leaders[COMMAND_MAX_EVENTS]; /* of each spec's group */
	unsigned nr_events;
	uint64_t pages;     /* of each CPU's ring */
	uint64_t aux_pages; /* of each CPU; 0: no event fills an AUX area */
	unsigned nr_cpus;
	struct traced_cpu *cpus;
	enum tr_reader_found found;
	enum payload_end end; /* how the workload ended */
	struct recording_progress progress;
	struct recording_keys keys;
	bool hosted;             /* the firmware goes on: screen, lines and keys are its own */
	bool watches_images;     /* that it loads */
	bool image_alone;        /* events count from the workload's StartImage() to its return */
	unsigned images_running; /* by StartImage(), each started by the one before it */
	const struct traced_cpu *failed; /* to start; NULL: none */
	const char *uncounted;           /* an event that no CPU counts; NULL: none */
	bool by_key;                     /* one ends it. Released */
	bool lossless_given_up; /* nobody made room: records are lost, until somebody reads again */
	bool lossless_together; /* all CPUs have started */
	uint64_t lossless_taken; /* that readers had taken by then */
	bool off;                /* the program wants nothing recorded. Released */
	bool stop;               /* the workload has ended. Released */
};

/* Refuse or give up: the reason goes to the host and to the console. Returns error. Thread. */
int recording_fail(struct recording *r, int code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Fill r->specs by the command, or with the events that its verb has by default, and complete their
 * attributes. 0, or recording_fail()'s. Thread. */
int recording_choose_events(struct recording *r);

/* How many bytes its samples take in a second; 0: there is no saying. Once their attributes are
 * complete. Any time. */
uint64_t recording_bytes_a_second(const struct recording *r);

/* Does an event of this type fill an AUX area? */
bool recording_fills_aux(const struct perf_event_attr *attr);

/* How large the AUX areas must be, by events and command. 0, or recording_fail()'s. Thread. */
int recording_choose_aux(struct recording *r);

/* Give event, which fills it, the AUX area of its CPU's ring. 0, or recording_fail()'s. Thread. */
int recording_open_aux(struct traced_cpu *c, struct perf_event *event);

/* In snapshot mode: take one if the host asks for it. The tick. */
void recording_snapshot(struct traced_cpu *c);

/* All traced CPUs have started: the name of an event that none of them counts, as they are of other
 * kinds, or NULL. Thread. */
const char *recording_uncounted(const struct recording *r);

/* All have stopped, so that it is in no trace: tell what was found in their counters. Thread. */
void recording_tell_counters(const struct recording *r);

/* All have stopped: say on the console what was counted or sampled, what was lost, and which option
 * would help. For whoever sits in front of the machine; the reader has the ledgers. Thread. */
void recording_summarise(const struct recording *r);

/*
 * How far it is, for people, where no reader tells them: once a second on the screen's last row,
 * and on a serial line: resident in place, on the firmware's; else as a line of the console's every
 * ten seconds. begin, end: thread. tick: of one CPU, now: ns of our clock; it draws one character
 * at the most.
 */
void recording_progress_begin(struct recording *r);
void recording_progress_tick(struct recording *r, uint64_t now);
void recording_progress_end(struct recording *r);

/*
 * A key that ends it (channel/stop_key.h): on a serial line, or a keyboard behind an i8042. begin,
 * end: thread. tick: of the first traced CPU; looks for one. leave: at each tick of any, with what
 * that has interrupted, when its events have stopped for a key: has the workload end.
 */
void recording_keys_begin(struct recording *r);
void recording_keys_tick(struct recording *r);
void recording_keys_leave(const struct recording *r, const struct arch_regs *regs);
void recording_keys_end(struct recording *r);

/* Count on all traced CPUs while the workload runs on the boot CPU; everything is published
 * afterwards. 0, or recording_fail()'s. Thread, interrupts masked. */
int recording_run(struct recording *r);

/* The firmware's own boot has been recorded so far, since recording_run() has left it going on, and
 * no further: as that one ends, otherwise. why: what there is to say of that, or NULL. Thread, boot
 * services alive. */
int recording_end_boot(struct recording *r, const char *why);

/* Have each traced CPU start its events: NULL, or the first that could not. recording_stop_all()
 * ends it in any case: what runs is ended, and it returns when all have stopped. Thread, interrupts
 * masked. */
const struct traced_cpu *recording_start_all(struct recording *r);
void recording_stop_all(struct recording *r);

/* The calling CPU's part in the recording whose rings are live, or NULL. Any context. */
struct traced_cpu *recording_here(void);

/* The recording whose rings are live, or NULL. Any context. */
struct recording *recording_now(void);
void recording_set_now(struct recording *r);

/* Nothing that a run said of a CPU is the next one's: to be called before each. Thread. */
void recording_forget_last(const struct trace_region *region);

/* ---- On the CPU itself ---- */

/* Measure its clock's offset, once in its life, before it first traces. 0, or
 * clock_sync_measure()'s error. Thread of the boot CPU. */
int recording_synchronise(struct traced_cpu *c);

/* Start its events and its tick (c->code says if one could not), and stop them. Thread, interrupts
 * masked. */
void recording_start_cpu(struct traced_cpu *c);
void recording_stop_cpu(struct traced_cpu *c);

/* What another CPU than the boot CPU does while it is traced; arg is its struct traced_cpu. As
 * arch_cpu_run()'s function. */
void recording_trace_cpu(void *arg);

/* Its tick's work: TICK_NS apart. IRQ. */
void recording_tick(struct tick *tick, const struct arch_regs *regs);

/* The parts of the tick that a stalled CPU does as well (--lossless): it looks for a key on the
 * first traced CPU, and publishes ledgers, progress and the watchdog's reset. A handler that
 * interrupted a thread. */
void recording_tick_look_for_key(struct traced_cpu *c);
void recording_tick_publish(struct traced_cpu *c);

/* All of the tick that a stalled CPU does. A handler that interrupted a thread. */
void recording_tick_stalled(struct traced_cpu *c);

/* Stop the CPU's events if the host, a key or a line asks for that. is_asked: the mailbox holds a
 * command. Returns whether they are stopped. As recording_stop_by_nmi(). */
bool recording_obey_stop(struct traced_cpu *c, bool is_asked);

/* perf_event's attend. */
void recording_attend(struct perf_event *event);

/* Stop its events if the host asks for that. An NMI, which reaches what masks the tick; it has
 * interrupted a thread, not what a handler does to this CPU's events and timers, nor their start
 * and stop. */
void recording_stop_by_nmi(struct traced_cpu *c);

/* Pause its events, or let them go on, as the program wants it. As above, or IRQ; nothing of theirs
 * is half done. Whether that is to be done. */
void recording_switch_here(struct traced_cpu *c);
bool recording_switch_is_due(const struct traced_cpu *c);

/* A signal to each other traced CPU whose events have not stopped: where NMIs are that stops them.
 * Any context. */
void recording_tell_others(const struct recording *r);

/* The CPU's counters for the host; now is clock_now(). On that CPU with interrupts masked, or IRQ;
 * in a panic also for another, as they were last. */
void recording_publish(struct traced_cpu *c, uint64_t now);

/* Have what was published, and at most so many bytes of records and trace with it, outlive a reset,
 * where the region is in RAM. After recording_publish(), and as that. */
void recording_keep(struct traced_cpu *c, uint64_t most);

#endif
