/* SPDX-License-Identifier: MIT */
/*
 * An event source: what it is called and what can be said of its events, for who reads commands,
 * and what it does, for the event core. The host tool reads the first half out of images.
 */
#ifndef PMU_SOURCE_H
#define PMU_SOURCE_H

#include <stdint.h>

struct perf_event;

/* A named bit field of attr.config/config1/config2 or of config3, as in sysfs' format/ directory:
 * what -e SOURCE/TERM=VALUE/ sets. A field in pieces has an entry for each, the lowest bits first.
 */
struct pmu_format {
	const char *term;
	uint8_t word; /* 0 config, 1 config1, 2 config2, 3 config3 */
	uint8_t low;  /* lowest bit, highest bit */
	uint8_t high;
};

/* A name that this source gives to one of its events: -e NAME. */
struct pmu_event_name {
	const char *name;
	uint64_t config;
	const char *description; /* for `list` */
};

/* Abilities of a source, struct pmu's flags. */
#define PMU_AUX   (1U << 0) /* its hardware fills an AUX area, instead of samples */
#define PMU_RAW   (1U << 1) /* it counts PERF_TYPE_RAW events: -e rHEX */
#define PMU_EVERY (1U << 2) /* it records every one of its events: there is no period */

/*
 * What a source must do. Errors mean the same for every source:
 *   -ENOENT      this source does not serve attr.type / config: ask the next one
 *   -ENODEV      the machine lacks the hardware
 *   -EINVAL      attr asks for something impossible
 *   -EOPNOTSUPP  the source lacks the asked-for ability (sampling, AUX, a filter)
 *   -EBUSY       hardware is there but in use (by firmware, a hypervisor, another event)
 *   -EAGAIN      no counter is free now
 *   -ENXIO       add: this CPU is of a kind that does not count it; the event stays off here
 */
struct pmu {
	const char *name;                    /* as in -e NAME// and in `list` */
	const char *description;             /* one line */
	uint32_t type;                       /* perf_event_attr.type */
	uint32_t flags;                      /* PMU_* */
	uint64_t config;                     /* of attr, where no term says otherwise */
	const struct pmu_event_name *events; /* ends with a NULL name; may be NULL */
	const struct pmu_format *formats;    /* ends with a NULL term; may be NULL */

	/* Is the hardware there? 0, -ENODEV or -EBUSY; *why is then a sentence. Thread. */
	int (*probe)(const char **why);
	/* Check event->attr and fill event->hw; touches no hardware. Thread. */
	int (*event_init)(struct perf_event *event);
	/* Claim the hardware on event->cpu (the calling CPU), stopped; events are added and given
	 * back many times where they take turns. Interrupts masked. */
	int (*add)(struct perf_event *event);
	/* Give it back, stopped. Interrupts masked. */
	void (*del)(struct perf_event *event);
	/* Let it count on from event->count; stop it, with event->count as it is then. What a
	 * sample still lacks stays so in between. Between disable and enable with interrupts
	 * masked, or in its own handler; there stop may come for what is stopped already. */
	void (*start)(struct perf_event *event);
	void (*stop)(struct perf_event *event);
	/* Bring event->count, which counts, up to date. Interrupts masked, or its own handler. */
	void (*read)(struct perf_event *event);
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

#endif
