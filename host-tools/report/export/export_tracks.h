/* SPDX-License-Identifier: MIT */
/*
 * The samples of one event, CPU by CPU, for formats that have a CPU's samples as lists of numbers
 * which stand behind each other: the lists are kept in files of their own meanwhile. Thread: the
 * one that made it.
 */
#ifndef HOST_TOOLS_REPORT_EXPORT_EXPORT_TRACKS_H
#define HOST_TOOLS_REPORT_EXPORT_EXPORT_TRACKS_H

#include <stdint.h>
#include <stdio.h>

#include "host-tools/report/export/export_format.h"

#define EXPORT_LISTS 3U

struct export_track {
	uint32_t cpu;
	FILE *lists[EXPORT_LISTS];
	uint64_t samples, weight; /* so far */
	uint64_t time;            /* of the last one; 0 before */
};

struct export_tracks {
	struct export *export;
	const struct perf_reader_event *event;
	struct intern cpus;
	struct export_track *tracks; /* by number of the CPU */
	/* Write what a sample is in each list, which has its comma already. */
	void (*put)(struct export_track *track, const struct export_sample *sample, uint32_t place,
	            const struct places *places);
	/* Write a track; 0 or a negative errno. */
	int (*finish)(struct export_tracks *tracks, struct export_track *track);
	void *context; /* finish()'s */
};

/* All tracks of each event that is exported, one event after the other: tracks has export, put(),
 * finish() and context. 0, or a negative errno. */
int export_tracks(struct export_tracks *tracks, struct error *error);

/* Write what a track is called, as JSON. */
void export_track_name(const struct export_tracks *tracks, const struct export_track *track,
                       FILE *out);

/* Write a list to export->out. 0 or -EIO. */
int export_list(const struct export_tracks *tracks, struct export_track *track, unsigned list);

#endif
