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
	/* Give it back, stopped. Interrupts masked. */
	void (*del)(struct perf_event *event);
	/* Let it count on from event->count; stop it, and update event->count. The rest of
	 * the period is kept in between. Between disable and enable with interrupts
	 * masked, or in its own handler; there stop may come for a stopped event. */
	void (*start)(struct perf_event *event);
	void (*stop)(struct perf_event *event);
	/* Bring event->count, which counts, up to date. Interrupts masked, or its own handler. */
	void (*read)(struct perf_event *event);
	/* Its count as of now, with nothing changed: for a thread that a handler, which may read
	 * it, interrupts anywhere. Of an event that counts. NULL: nobody can look. Thread. */
	uint64_t (*peek)(const struct perf_event *event);
	/* It is one that counts time: it brings event->count, which counts, up to from, and goes on
	 * at to; both arch_cycles(). pmu/context.h's context_pass(). NULL: time is nothing to it.
	 */
	void (*pass)(struct perf_event *event, uint64_t from, uint64_t to);
	/* From the next sample on they are factor times as far apart as attr says, whatever was
	 * said before; what was counted stays, and so do all sums. factor: 1 to TR_SLOWEST. NULL
	 * where nobody can choose. The tick, on event->cpu. */
	void (*slow)(struct perf_event *event, uint64_t factor);
	/* Freeze all counters of this source on the calling CPU; let those count that are started.
	 * So what starts in between starts at one moment. Not nested; NULL where there is no
	 * such switch. Interrupts masked. */
	void (*disable)(void);
	void (*enable)(void);
	/* A PMU_AUX source gets its area: size bytes, a power of two of pages, page aligned, behind
	 * event->aux. Between event_init and the first add. 0, or -EINVAL if it is too small. NULL
	 * where there is nothing to prepare. Thread. */
	int (*setup_aux)(struct perf_event *event, void *area, uint64_t size);
	/* The tick on event->cpu between start and stop: go on where the lack of room has stopped
	 * it. Bounded. NULL where nothing stops. Interrupts masked. */
	void (*poll)(struct perf_event *event);
	/* Snapshot mode: end with an AUX record what the area holds now; poll() goes on when the
	 * reader has taken it. NULL where there is no such mode. Interrupts masked. */
	void (*snapshot)(struct perf_event *event);
};

/* The struct pmu that a description belongs to. Any context. */
static inline const struct pmu *pmu_of(const struct pmu_source *source)
{
	return (const struct pmu *)source;
}

#endif
