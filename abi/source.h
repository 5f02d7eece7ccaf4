/* SPDX-License-Identifier: MIT */
/*
 * An event source as data: its name, and the names and terms of its events. The image's parser
 * reads it, and the host tool finds it in the image's file. Its operations are struct pmu
 * (pmu/source.h), which begins with this.
 */
#ifndef ABI_SOURCE_H
#define ABI_SOURCE_H

#include <stdint.h>

/* A named bit field of attr.config, config1 to config4, like an entry of sysfs' format/
 * directory. -e SOURCE/TERM=VALUE/ sets it. A field in several pieces has one entry per piece,
 * lowest bits first. */
struct pmu_format {
	const char *term;
	uint8_t word; /* 0 config, 1 config1, 2 config2, 3 config3, 4 config4 */
	uint8_t low;  /* the field's lowest and highest bit */
	uint8_t high;
};

/* A source's name for one of its events: -e NAME. */
struct pmu_event_name {
	const char *name;
	uint64_t config;
	const char *description; /* for `list` */
};

/* Abilities of a source: the flags of struct pmu_source. */
#define PMU_AUX     (1U << 0) /* its hardware fills an AUX area and takes no samples */
#define PMU_RAW     (1U << 1) /* it counts PERF_TYPE_RAW events: -e rHEX */
#define PMU_EVERY   (1U << 2) /* it records every event; there is no period */
#define PMU_LATE    (1U << 3) /* its count may grow after the stop, so it is read again then */
#define PMU_PRECISE (1U << 4) /* it has precise samples, if the CPU has them: -e EVENT:p */

struct pmu_source {
	const char *name;                    /* as in -e NAME// and in `list` */
	const char *description;             /* one line */
	uint32_t type;                       /* perf_event_attr.type: abi/event_types.h */
	uint32_t flags;                      /* PMU_* */
	uint64_t config;                     /* attr.config, unless a term sets other bits */
	const struct pmu_event_name *events; /* ends with a NULL name; may be NULL */
	const struct pmu_format *formats;    /* ends with a NULL term; may be NULL */
};

#endif
