/* SPDX-License-Identifier: MIT */
/*
 * perf's ABI: the types and constants of Linux's perf_event_open(2) that bareperf writes and reads.
 * Declared here so that the firmware needs no Linux header. Types only. tests/unit/abi/abi_test.c
 * compares every size, offset and value with the system's <linux/perf_event.h>.
 */
#ifndef ABI_PERF_EVENT_H
#define ABI_PERF_EVENT_H

#include <stddef.h>
#include <stdint.h>

/* perf_event_attr.type */
enum perf_type_id {
	PERF_TYPE_HARDWARE = 0,
	PERF_TYPE_SOFTWARE = 1,
	PERF_TYPE_RAW = 4,
};

/* perf_event_attr.config for PERF_TYPE_HARDWARE */
enum perf_hw_id {
	PERF_COUNT_HW_CPU_CYCLES = 0,
	PERF_COUNT_HW_INSTRUCTIONS = 1,
	PERF_COUNT_HW_CACHE_REFERENCES = 2,
	PERF_COUNT_HW_CACHE_MISSES = 3,
	PERF_COUNT_HW_BRANCH_INSTRUCTIONS = 4,
	PERF_COUNT_HW_BRANCH_MISSES = 5,
	PERF_COUNT_HW_BUS_CYCLES = 6,
	PERF_COUNT_HW_STALLED_CYCLES_FRONTEND = 7,
	PERF_COUNT_HW_STALLED_CYCLES_BACKEND = 8,
	PERF_COUNT_HW_REF_CPU_CYCLES = 9,
};

/* perf_event_attr.config for PERF_TYPE_SOFTWARE */
enum perf_sw_ids {
	PERF_COUNT_SW_CPU_CLOCK = 0,
	PERF_COUNT_SW_DUMMY = 9,
	PERF_COUNT_SW_BPF_OUTPUT = 10,
};

/* perf_event_attr.sample_type: the fields of a sample, in the order of the record's layout
 * (IDENTIFIER, the last bit, comes first in the record). */
enum perf_event_sample_format {
	PERF_SAMPLE_IP = 1U << 0,
	PERF_SAMPLE_TID = 1U << 1,
	PERF_SAMPLE_TIME = 1U << 2,
	PERF_SAMPLE_ADDR = 1U << 3,
	PERF_SAMPLE_READ = 1U << 4,
	PERF_SAMPLE_CALLCHAIN = 1U << 5,
	PERF_SAMPLE_ID = 1U << 6,
	PERF_SAMPLE_CPU = 1U << 7,
	PERF_SAMPLE_PERIOD = 1U << 8,
	PERF_SAMPLE_STREAM_ID = 1U << 9,
	PERF_SAMPLE_RAW = 1U << 10,
	PERF_SAMPLE_BRANCH_STACK = 1U << 11,
	PERF_SAMPLE_REGS_USER = 1U << 12,
	PERF_SAMPLE_STACK_USER = 1U << 13,
	PERF_SAMPLE_WEIGHT = 1U << 14,
	PERF_SAMPLE_DATA_SRC = 1U << 15,
	PERF_SAMPLE_IDENTIFIER = 1U << 16,
	PERF_SAMPLE_TRANSACTION = 1U << 17,
	PERF_SAMPLE_REGS_INTR = 1U << 18,
	PERF_SAMPLE_PHYS_ADDR = 1U << 19,
	PERF_SAMPLE_WEIGHT_STRUCT = 1U << 24,
};

/* perf_event_attr.branch_sample_type: the branches of a branch stack by privilege level and kind,
 * and the form of its entries. */
enum perf_branch_sample_type {
	PERF_SAMPLE_BRANCH_USER = 1U << 0,
	PERF_SAMPLE_BRANCH_KERNEL = 1U << 1,
	PERF_SAMPLE_BRANCH_HV = 1U << 2,
	PERF_SAMPLE_BRANCH_ANY = 1U << 3,
	PERF_SAMPLE_BRANCH_ANY_CALL = 1U << 4,
	PERF_SAMPLE_BRANCH_ANY_RETURN = 1U << 5,
	PERF_SAMPLE_BRANCH_IND_CALL = 1U << 6,
	PERF_SAMPLE_BRANCH_COND = 1U << 10,
	PERF_SAMPLE_BRANCH_CALL_STACK = 1U << 11,
	PERF_SAMPLE_BRANCH_IND_JUMP = 1U << 12,
	PERF_SAMPLE_BRANCH_CALL = 1U << 13,
	PERF_SAMPLE_BRANCH_NO_FLAGS = 1U << 14,
	PERF_SAMPLE_BRANCH_NO_CYCLES = 1U << 15,
	PERF_SAMPLE_BRANCH_TYPE_SAVE = 1U << 16,
	PERF_SAMPLE_BRANCH_HW_INDEX = 1U
	                              << 17, /* the stack has hw_idx, a word before its entries */
};

/* The kinds of branches: field type of an entry of a branch stack. */
enum perf_branch_type {
	PERF_BR_UNKNOWN = 0,
	PERF_BR_COND = 1,
	PERF_BR_UNCOND = 2,
	PERF_BR_IND = 3,
	PERF_BR_CALL = 4,
	PERF_BR_IND_CALL = 5,
	PERF_BR_RET = 6,
	PERF_BR_SYSCALL = 7,
	PERF_BR_SYSRET = 8,
	PERF_BR_ERET = 11,
	PERF_BR_IRQ = 12,
	PERF_BR_SERROR = 13,
	PERF_BR_EXTEND_ABI = 15, /* field new_type has it */
};

enum perf_branch_new_type {
	PERF_BR_NEW_FAULT_ALGN = 0,
	PERF_BR_NEW_FAULT_DATA = 1,
	PERF_BR_NEW_FAULT_INST = 2,
};

/* An entry of a branch stack, the newest branch first. flags is Linux's bit field as one word. */
struct perf_branch_entry {
	uint64_t from;
	uint64_t to;
	uint64_t flags;
};
_Static_assert(sizeof(struct perf_branch_entry) == 24, "branch entry");

#define PERF_BRANCH_MISPRED   (1ULL << 0)
#define PERF_BRANCH_PREDICTED (1ULL << 1) /* neither: the hardware does not report it */
#define PERF_BRANCH_IN_TX     (1ULL << 2)
#define PERF_BRANCH_ABORT     (1ULL << 3)
#define PERF_BRANCH_CYCLES    4  /* 16 bits: cycles since the branch before; 0: not reported */
#define PERF_BRANCH_TYPE      20 /* 4 bits: PERF_BR_* */
#define PERF_BRANCH_SPEC      24 /* 2 bits: 1 speculated wrongly, 3 rightly; 2 not speculated */
#define PERF_BRANCH_NEW_TYPE  26 /* 4 bits: PERF_BR_NEW_* */
#define PERF_BRANCH_PRIV      30 /* 3 bits: 1 user, 2 kernel, 3 hypervisor */

/* perf_event_attr.read_format */
enum perf_event_read_format {
	PERF_FORMAT_TOTAL_TIME_ENABLED = 1U << 0,
	PERF_FORMAT_TOTAL_TIME_RUNNING = 1U << 1,
	PERF_FORMAT_ID = 1U << 2,
	PERF_FORMAT_GROUP = 1U << 3,
	PERF_FORMAT_LOST = 1U << 4,
};

#define PERF_ATTR_SIZE_VER7 128

/* perf_event_attr.flags, the bit field of Linux's struct as one word. */
#define PERF_ATTR_DISABLED       (1ULL << 0)
#define PERF_ATTR_INHERIT        (1ULL << 1)
#define PERF_ATTR_PINNED         (1ULL << 2)
#define PERF_ATTR_EXCLUSIVE      (1ULL << 3)
#define PERF_ATTR_EXCLUDE_USER   (1ULL << 4)
#define PERF_ATTR_EXCLUDE_KERNEL (1ULL << 5)
#define PERF_ATTR_EXCLUDE_HV     (1ULL << 6)
#define PERF_ATTR_EXCLUDE_IDLE   (1ULL << 7)
#define PERF_ATTR_MMAP           (1ULL << 8)
#define PERF_ATTR_COMM           (1ULL << 9)
#define PERF_ATTR_FREQ           (1ULL << 10)
#define PERF_ATTR_TASK           (1ULL << 13)
#define PERF_ATTR_WATERMARK      (1ULL << 14)
#define PERF_ATTR_PRECISE_IP     15 /* 2 bits: 0 to 3, perf's :p, :pp, :ppp */
#define PERF_ATTR_SAMPLE_ID_ALL  (1ULL << 18)
#define PERF_ATTR_EXCLUDE_GUEST  (1ULL << 20)
#define PERF_ATTR_MMAP2          (1ULL << 23)
#define PERF_ATTR_COMM_EXEC      (1ULL << 24)
#define PERF_ATTR_WRITE_BACKWARD (1ULL << 27)

struct perf_event_attr {
	uint32_t type;
	uint32_t size; /* PERF_ATTR_SIZE_VER7 */
	uint64_t config;
	union {
		uint64_t sample_period;
		uint64_t sample_freq; /* Hz, with PERF_ATTR_FREQ */
	};
	uint64_t sample_type;
	uint64_t read_format;
	uint64_t flags; /* PERF_ATTR_* */
	union {
		uint32_t wakeup_events;
		uint32_t wakeup_watermark; /* bytes, with PERF_ATTR_WATERMARK */
	};
	uint32_t bp_type;
	uint64_t config1;
	uint64_t config2;
	uint64_t branch_sample_type;
	uint64_t sample_regs_user;
	uint32_t sample_stack_user;
	int32_t clockid;
	uint64_t sample_regs_intr;
	uint32_t aux_watermark;
	uint16_t sample_max_stack;
	uint16_t reserved_2;
	uint32_t aux_sample_size;
	uint32_t reserved_3;
	uint64_t sig_data;
};
_Static_assert(sizeof(struct perf_event_attr) == PERF_ATTR_SIZE_VER7, "attr is perf's VER7");
_Static_assert(offsetof(struct perf_event_attr, flags) == 40, "attr.flags");
_Static_assert(offsetof(struct perf_event_attr, aux_watermark) == 104, "attr.aux_watermark");

/* The first page of a ring, as mmap(2) of a perf descriptor shows it. */
struct perf_event_mmap_page {
	uint32_t version;
	uint32_t compat_version;
	uint32_t lock;
	uint32_t index;
	int64_t offset;
	uint64_t time_enabled;
	uint64_t time_running;
	uint64_t capabilities;
	uint16_t pmc_width;
	uint16_t time_shift;
	uint32_t time_mult;
	uint64_t time_offset;
	uint64_t time_zero;
	uint32_t size;
	uint32_t reserved_1;
	uint64_t time_cycles;
	uint64_t time_mask;
	uint8_t reserved[116 * 8];
	uint64_t data_head; /* bytes written, free-running; written by the firmware */
	uint64_t data_tail; /* bytes read, free-running; written by the reader, never trusted */
	uint64_t data_offset;
	uint64_t data_size;
	uint64_t aux_head;
	uint64_t aux_tail;
	uint64_t aux_offset;
	uint64_t aux_size;
};
_Static_assert(offsetof(struct perf_event_mmap_page, time_zero) == 64, "mmap page time_zero");
_Static_assert(offsetof(struct perf_event_mmap_page, data_head) == 1024, "mmap page data_head");
_Static_assert(offsetof(struct perf_event_mmap_page, aux_size) == 1080, "mmap page aux_size");

/* perf_event_mmap_page.capabilities */
#define PERF_CAP_USER_TIME      (1ULL << 3)
#define PERF_CAP_USER_TIME_ZERO (1ULL << 4)

enum perf_event_type {
	PERF_RECORD_MMAP = 1,
	PERF_RECORD_LOST = 2,
	PERF_RECORD_COMM = 3,
	PERF_RECORD_EXIT = 4,
	PERF_RECORD_THROTTLE = 5,
	PERF_RECORD_UNTHROTTLE = 6,
	PERF_RECORD_FORK = 7,
	PERF_RECORD_READ = 8,
	PERF_RECORD_SAMPLE = 9,
	PERF_RECORD_MMAP2 = 10,
	PERF_RECORD_AUX = 11,
	PERF_RECORD_ITRACE_START = 12,
	PERF_RECORD_LOST_SAMPLES = 13,
	PERF_RECORD_SWITCH = 14,
};

/* perf_event_header.misc */
#define PERF_RECORD_MISC_CPUMODE_MASK 7U
#define PERF_RECORD_MISC_KERNEL       1U
#define PERF_RECORD_MISC_USER         2U
/* SWITCH records: the program left the CPU; else it is back */
#define PERF_RECORD_MISC_SWITCH_OUT   (1U << 13)
#define PERF_RECORD_MISC_EXACT_IP     (1U << 14)

struct perf_event_header {
	uint32_t type;
	uint16_t misc;
	uint16_t size; /* of the whole record, a multiple of 8 */
};
_Static_assert(sizeof(struct perf_event_header) == 8, "record header");

/* PERF_RECORD_AUX, field flags */
#define PERF_AUX_FLAG_TRUNCATED 0x01U
#define PERF_AUX_FLAG_OVERWRITE 0x02U
#define PERF_AUX_FLAG_PARTIAL   0x04U
#define PERF_AUX_FLAG_COLLISION 0x08U

/* Markers in a callchain, as unsigned 64-bit values. */
#define PERF_CONTEXT_KERNEL ((uint64_t)-128)
#define PERF_CONTEXT_USER   ((uint64_t)-512)
#define PERF_CONTEXT_MAX    ((uint64_t)-4095)

#endif
