/* SPDX-License-Identifier: MIT */
/*
 * Writes the samples of one event, CPU by CPU, for formats that store a CPU's samples as
 * consecutive lists of numbers. Each list is first collected in a temporary file. Thread: the
 * thread that created the tracks.
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
	uint64_t time;            /* time of the last sample; 0: none yet */
};

struct export_tracks {
	struct export *export;
	const struct perf_reader_event *event; /* NULL: the tracks are calls of a branch trace */
	struct intern cpus;
	struct export_track *tracks; /* by the CPU's number in cpus */
	/* Write a sample's value to each list of track. The comma before it is already written. */
	void (*put)(struct export_track *track, const struct export_sample *sample, uint32_t place,
	            const struct places *places);
	/* The same for a stack of calls (a number of places.nodes) that lasted for length, both in
	 * ns. Only export_tracks_calls() needs it. */
	void (*put_stack)(struct export_track *track, uint32_t node, uint64_t time,
	                  uint64_t length);
	/* Write a finished track to the output. 0 or a negative errno. */
	int (*finish)(struct export_tracks *tracks, struct export_track *track);
	void *context; /* for finish() */
};

/* Write all tracks of every exported event, one event after the other. The caller sets export, put,
 * finish and context. 0, or a negative errno. */
int export_tracks(struct export_tracks *tracks, struct error *error);

/* Write the calls of the file's branch trace, a track for each CPU. The caller sets put_stack
 * instead of put. 0, or a negative errno; -ENODATA: the file has no trace of branches. */
int export_tracks_calls(struct export_tracks *tracks, struct error *error);

/* Write a track's name as a JSON string. */
void export_track_name(const struct export_tracks *tracks, const struct export_track *track,
                       FILE *out);

/* Write a list to export->out. 0 or -EIO. */
int export_list(const struct export_tracks *tracks, struct export_track *track, unsigned list);

#endif
