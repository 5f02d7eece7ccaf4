/* SPDX-License-Identifier: MIT */
/*
 * Samples in code without function names, added up by image: each image with its range at the time
 * of a sample, the weight of its samples, and the address with most of that weight. Memory is
 * bounded, whatever the number of samples. Thread.
 */
#ifndef AGENT_REPORT_MODULES_H
#define AGENT_REPORT_MODULES_H

#include <stddef.h>
#include <stdint.h>

#include "abi/perf_event.h"

#define MODULES_MAX       4096U /* the most images, and the most that are loaded at once */
#define MODULES_NAME_ROOM 64U

struct module {
	char name[MODULES_NAME_ROOM]; /* the file's name without a path: printable ASCII */
	uint64_t weight;
	uint64_t hottest, hottest_weight; /* offset from its start, and the weight there */
};

/* {0} is an empty list. */
struct modules {
	struct module *list;
	struct module_place *places;
	struct module_spot *spots;
	size_t count, room, nr_places, places_room;
};

/* From now on an image of this name is at [start, start + length), and replaces images known there.
 * The name has at most size bytes, up to a NUL; "//anon" means that no image is there. Without
 * memory the image is left out. */
void modules_map(struct modules *modules, uint64_t start, uint64_t length, const char *name,
                 size_t size);

/* The same from a PERF_RECORD_MMAP2, which may contain any values. */
void modules_map_by(struct modules *modules, const struct perf_event_header *record);

/* Count a sample of this weight at address, in code without function names. Sums stop at 2^64 - 1.
 */
void modules_weigh(struct modules *modules, uint64_t address, uint64_t weight);

/* Find the modules with the most weight, at most `most`, in descending order, without those of no
 * weight. Returns their number. Nothing can be counted afterwards. */
size_t modules_hottest(struct modules *modules, const struct module **hottest, size_t most);

/* Free the list. */
void modules_free(struct modules *modules);

#endif
