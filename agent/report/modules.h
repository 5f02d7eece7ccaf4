/* SPDX-License-Identifier: MIT */
/*
 * Samples where no function has a name, by image: the images of a recording as they lie at the time
 * of each sample, each with the weight of its samples and the address that has most of it. Memory
 * is bounded, however many samples there are. Thread.
 */
#ifndef AGENT_REPORT_MODULES_H
#define AGENT_REPORT_MODULES_H

#include <stddef.h>
#include <stdint.h>

#include "abi/perf_event.h"

#define MODULES_MAX       4096U /* more are not taken in; nor are more that lie somewhere */
#define MODULES_NAME_ROOM 64U

struct module {
	char name[MODULES_NAME_ROOM]; /* its file's, without a path: printable ASCII */
	uint64_t weight;
	uint64_t hottest, hottest_weight; /* offset from its start, and of the weight how much */
};

/* {0} is an empty one. */
struct modules {
	struct module *list;
	struct module_place *places;
	struct module_spot *spots;
	size_t count, room, nr_places, places_room;
};

/* An image of this name (of at most size bytes, up to a NUL) lies in [start, start + length) from
 * now on, and what was known there does not; name "//anon": nothing does. Without memory it is left
 * out.
 */
void modules_map(struct modules *modules, uint64_t start, uint64_t length, const char *name,
                 size_t size);

/* The same by a whole PERF_RECORD_MMAP2, which may lie. */
void modules_map_by(struct modules *modules, const struct perf_event_header *record);

/* A sample at address, of this weight, where no function has a name. Sums stop at 2^64 - 1. */
void modules_weigh(struct modules *modules, uint64_t address, uint64_t weight);

/* The heaviest, descending; those without weight are none. How many there are, at most `most`. Ends
 * the list: nothing is weighed afterwards. */
size_t modules_hottest(struct modules *modules, const struct module **hottest, size_t most);

/* Forget all. */
void modules_free(struct modules *modules);

#endif
