/* SPDX-License-Identifier: MIT */
/* An event source's operations, for the event core; its name is in struct pmu_source. */
#ifndef PMU_SOURCE_H
#define PMU_SOURCE_H

#include <stdint.h>

#include "abi/source.h"

struct perf_event;

/*
 * The operations of a source. Errors mean the same for every source:
 *   -ENOENT      this source does not serve attr.type / config: ask the next one
 *   -ENODEV      the machine lacks the hardware
 *   -ENOLINK     add: the firmware's tables name no interrupt for this CPU's counters
 *   -EINVAL      attr asks for something impossible
 *   -EOPNOTSUPP  the source lacks the asked-for ability (sampling, AUX, a filter)
 *   -EBUSY       hardware is there but in use (by firmware, a hypervisor, another event)
 *   -ENODATA     add: a hypervisor's counters are there and count nothing
 *   -EAGAIN      no counter is free now
 *   -ENXIO       add: this CPU is of a kind that does not count it; the event stays off here
 */
struct pmu {
	struct pmu_source source; /* the first member: pmu_of() */

	/* Is the hardware there? 0, -ENODEV or -EBUSY; *why is then a sentence. Thread. */
	int (*probe)(const char **why);
	/* Check event->attr and fill event->hw; touches no hardware. Thread. */
	int (*event_init)(struct perf_event *event);
	/* Claim the hardware on event->cpu (the calling CPU), stopped; events are added and given
	 * back many times where they take turns. Interrupts masked. */
	int (*add)(struct perf_event *event);
	/* Give the counter back, stopped. Interrupts masked. */
	void (*del)(struct perf_event *event);
	/* start: count on from event->count. stop: stop counting and update event->count; the rest
	 * of the period is kept. Between disable and enable with interrupts masked, or in the
	 * source's own handler; a handler may call stop for a stopped event. */
	void (*start)(struct perf_event *event);
	void (*stop)(struct perf_event *event);
	/* Bring event->count of a counting event up to date. Interrupts masked, or in its own
	 * handler. */
	void (*read)(struct perf_event *event);
	/* Return the current count of a counting event without changing anything, for a thread:
	 * a handler may interrupt it anywhere and read the count itself. NULL: not possible.
	 * Thread. */
	uint64_t (*peek)(const struct perf_event *event);
	/* Exclude the time [from, to), in arch_cycles(), from event->count, for a source that
	 * counts time: brings the count up to from and continues at to. See context_pass() of
	 * pmu/context.h. NULL: the source does not count time. */
	void (*pass)(struct perf_event *event, uint64_t from, uint64_t to);
	/* Write the branch stack of a sample at `at`, as perf_event_open(2) has it: nr, hw_idx if
	 * attr asks for it, and the entries, at most BRANCH_STACK_WORDS words. Returns the number
	 * of words. NULL: the source has no branch stacks; event_init then refuses them. In the
	 * source's own handler. */
	unsigned (*branch_stack)(const struct perf_event *event, uint64_t *at);
	/* Multiply the distance of samples by factor (1 to TR_SLOWEST), relative to attr, from
	 * the next sample on. Counts and sums stay. NULL: the source cannot. The tick, on
	 * event->cpu. */
	void (*slow)(struct perf_event *event, uint64_t factor);
	/* disable: freeze all counters of this source on the calling CPU. enable: let the started
	 * ones count. So events that are started in between start at the same moment. Not nested;
	 * NULL: the hardware has no such switch. Interrupts masked. */
	void (*disable)(void);
	void (*enable)(void);
	/* Give a PMU_AUX source its area: size bytes, a power of two of pages, page aligned;
	 * event->aux describes it. Between event_init and the first add. Returns 0, or -EINVAL if
	 * it is too small. NULL: nothing to prepare. Thread. */
	int (*setup_aux)(struct perf_event *event, void *area, uint64_t size);
	/* Bytes of memory that the hardware writes records to, which all events of a CPU share:
	 * event->memory; 0: none. NULL: no event needs any. After event_init. Thread. */
	uint64_t (*memory)(const struct perf_event *event);
	/* The tick on event->cpu between start and stop, of an event with an AUX area: continue if
	 * a lack of room had stopped the source. Of one with memory: make samples of the records in
	 * it. Bounded. NULL: neither. Interrupts masked. */
	void (*poll)(struct perf_event *event);
	/* Snapshot mode: announce the area's current content by an AUX record; poll() continues
	 * when the reader has taken it. NULL: the source has no such mode. Interrupts masked. */
	void (*snapshot)(struct perf_event *event);
};

/* The struct pmu that a description belongs to. Any context. */
static inline const struct pmu *pmu_of(const struct pmu_source *source)
{
	return (const struct pmu *)source;
}

#endif
