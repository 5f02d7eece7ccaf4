/* SPDX-License-Identifier: MIT */
/*
 * A recording's samples as files for other tools. A format is one function, which walks over the
 * samples as often as it needs to; none holds them. So JSON with a value for each sample
 * (speedscope, chrome, firefox's columns) is written as it is read, by hand; json_pack() writes the
 * constant parts. Thread: the one that opened the file.
 */
#ifndef HOST_TOOLS_REPORT_EXPORT_EXPORT_FORMAT_H
#define HOST_TOOLS_REPORT_EXPORT_EXPORT_FORMAT_H

#include <stdio.h>

#include "host-tools/report/frames.h"
#include "host-tools/report/places.h"
#include "host-tools/report/recording_file.h"
#include "host-tools/report/tasks.h"
#include "writer/perfdata/sample.h"

struct export
{
	struct recording_file *file;
	const struct perf_reader_event *only; /* NULL: every event */
	struct places places;
	struct tasks tasks;
	bool partial;       /* of a trace with gaps as well */
	const char *output; /* NULL: standard output */
	FILE *out;          /* the same; NULL for a format that writes a folder */
};

struct export_sample {
	const struct perf_reader_event *event;
	struct sample sample;
	const char *command;
	uint64_t weight; /* its PERIOD, or the event's */
};

/* Show every sample that is exported to visit, which returns a negative errno to stop. 0, or that.
 */
int export_walk(struct export *export,
                int (*visit)(void *context, const struct export_sample *sample), void *context,
                struct error *error);

/* The event's number in the file. */
uint32_t export_event(const struct export *export, const struct perf_reader_event *event);

/* The function's name; of one that has none its file's in brackets, or "[unknown]". */
const char *export_function(const struct export *export, uint32_t function, char text[256]);

/* The functions of a node's stack, the outermost first. Returns how many. */
uint32_t export_stack(const struct places *places, uint64_t node, uint32_t stack[FRAMES_MAX]);

/* A name that stands at the end of a line, and its end. */
void export_put_line(FILE *out, const char *text);

/* The sums of a place's samples, by event: sums[place * events + event]. */
struct export_sums {
	struct export_sum {
		uint64_t samples, weight;
	} * sums;
	uint32_t places; /* that there is room for */
	uint32_t events; /* of the file */
};

/* Of all samples that are exported; sums is all 0 before, sums->sums to be freed after. 0, or a
 * negative errno. */
int export_sum_up(struct export *export, struct export_sums *sums, struct error *error);

/* 0, or -ENODATA and why: the ledger says that something of the traces is missing, or there is
 * none. Of what may be partial 0. */
int export_check_whole(const struct export *export, struct error *error);

/* Write it to export->out, or under export->output; 0, or a negative errno. That the file could not
 * be written is found by the caller. */
int export_csv(struct export *export, struct error *error);
int export_folded(struct export *export, struct error *error);
int export_speedscope(struct export *export, struct error *error);
int export_pprof(struct export *export, struct error *error);
int export_callgrind(struct export *export, struct error *error);
int export_callgrind_trace(struct export *export, struct error *error); /* of all branches */
int export_ctf(struct export *export, struct error *error);
int export_lcov(struct export *export, struct error *error);
int export_firefox(struct export *export, struct error *error);
int export_chrome(struct export *export, struct error *error);

#endif
