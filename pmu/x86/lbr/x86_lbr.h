/* SPDX-License-Identifier: MIT */
/*
 * Last branch records (LBR) of any x86 CPU: it keeps its newest taken branches in registers, and
 * the samples of its counters carry them (PERF_SAMPLE_BRANCH_STACK). This part has the use of the
 * records by events, the filter, and the registers that each vendor has; intel_lbr.c and amd_lbr.c
 * read records.
 *
 * A CPU has one set of records and one filter, so all its events share them. Records are off in our
 * handlers. The branches that lead into a handler and out of it take places among the records, but
 * are in no stack.
 */
#ifndef PMU_X86_LBR_X86_LBR_H
#define PMU_X86_LBR_X86_LBR_H

#include "pmu/branch_stack.h"
#include "pmu/pmu.h"

#define X86_LBR_MAX 32U /* records that are used */

/* The records of a CPU. */
struct x86_lbr_form {
	unsigned format; /* the vendor's own number */
	unsigned depth;  /* the number of records that are used */
	/* MSRs of record 0, and the distance to the next record's; info 0: no such MSR */
	uint32_t from, to, info, stride;
	uint32_t switched; /* MSR that enables the records */
	uint64_t others;   /* the bits of switched that keep the value that firmware gave them */
	uint32_t shape;    /* MSR that firmware may have set: filter, or depth */
	unsigned mask;     /* mask of a record's number */
	int step;          /* step from a record's number to the next older one's */
	unsigned above;    /* bits above an address, which are not part of it */
	uint64_t reported; /* bits of an entry's flags that the hardware reports */
};

/* One per CPU. */
struct x86_lbr {
	unsigned users;
	uint64_t type; /* levels and kinds of the users' branch_sample_type */
	struct x86_lbr_form form;
	/* [entries, entries + entries_size): branches from and to this code are our interrupt
	 * entries' */
	uint64_t entries, entries_size;
	uint64_t debugctl, switched, shape; /* firmware's values */
};
extern struct x86_lbr x86_lbrs[TR_MAX_CPUS];

/* A vendor's part of add. Interrupts masked. */
struct x86_lbr_ops {
	/* The calling CPU's records, which are off; depth 0: none of them is there. */
	struct x86_lbr_form (*form)(void);
	/* Clear the records, and let them record the branches of type, with off in switched
	 * until now. This CPU's handlers are hidden from them. */
	void (*switch_on)(const struct x86_lbr_form *form, uint64_t type, uint64_t off);
};

/* Whether the event's samples have branch stacks. The functions below do nothing if not. */
static inline bool x86_lbr_is_asked(const struct perf_event *event)
{
	return event->attr.sample_type & PERF_SAMPLE_BRANCH_STACK;
}

/* The parts of attr.branch_sample_type that the CPU's filter is made of. */
static inline uint64_t x86_lbr_wanted(const struct perf_event *event)
{
	return event->attr.branch_sample_type & (BRANCH_LEVELS | BRANCH_KINDS);
}

/* Record branches on event->cpu, the calling CPU, until as many del as add. add forgets earlier
 * branches if there was no user. Returns 0; -EBUSY: another event uses another filter, or a branch
 * trace runs; -ENODEV: none of the registers is there. Interrupts masked. */
int x86_lbr_add(const struct perf_event *event, const struct x86_lbr_ops *ops);
void x86_lbr_del(const struct perf_event *event);

/* Set all records to 0. Interrupts masked. */
void x86_lbr_forget(const struct x86_lbr_form *form);

/* The bits of LBR_SELECT, which Intel and AMD have in common, that suppress the kinds of branches
 * that branch_sample_type asks for; and its value that lets in these kinds alone, on the levels
 * that it asks for. */
uint32_t x86_lbr_kinds(uint64_t type);
uint32_t x86_lbr_select(uint64_t type);

/* The bits of an entry's flags that branch_sample_type asks for. */
static inline uint64_t x86_lbr_kept(uint64_t type)
{
	uint64_t kept = UINT64_MAX;

	if (type & PERF_SAMPLE_BRANCH_NO_FLAGS)
		kept &= ~(PERF_BRANCH_MISPRED | PERF_BRANCH_PREDICTED | PERF_BRANCH_IN_TX |
		          PERF_BRANCH_ABORT | 3ULL << PERF_BRANCH_SPEC);
	if (type & PERF_SAMPLE_BRANCH_NO_CYCLES)
		kept &= ~(0xffffULL << PERF_BRANCH_CYCLES);
	return kept;
}

/* A record's address without the bits above it, of which the uppermost is its sign. */
static inline uint64_t x86_lbr_address(uint64_t word, unsigned above)
{
	return (uint64_t)((int64_t)(word << above) >> above);
}

/* Whether the branch leads into one of our handlers or out of it. */
static inline bool x86_lbr_is_ours(const struct x86_lbr *u, uint64_t from, uint64_t to)
{
	return from - u->entries < u->entries_size || to - u->entries < u->entries_size;
}

#endif
