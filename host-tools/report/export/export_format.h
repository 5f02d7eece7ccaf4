/* SPDX-License-Identifier: MIT */
/*
 * Writes a recording's samples in the formats of other tools. Each format is one function. The
 * function reads the samples from the file as often as it needs to, and keeps none in memory.
 * Therefore JSON with a value per sample (speedscope, chrome, firefox's columns) is printed
 * directly while reading; json_pack() makes only the constant parts. Thread: the thread that opened
 * the file.
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
	bool partial;       /* accept a trace with gaps */
	const char *output; /* NULL: standard output */
	FILE *out;          /* the opened output; NULL if the format writes a folder */
};

struct export_sample {
	const struct perf_reader_event *event;
	struct sample sample;
	const char *command;
	uint64_t weight; /* the sample's PERIOD, or the event's period */
};

/* Call visit for every exported sample. If visit returns a negative errno, the walk stops and
 * returns that errno. Otherwise 0. */
int export_walk(struct export *export,
                int (*visit)(void *context, const struct export_sample *sample), void *context,
                struct error *error);

/* The event's index in the file. */
uint32_t export_event(const struct export *export, const struct perf_reader_event *event);

/* The function's name. If it has none: its file's name in brackets, or "[unknown]". */
const char *export_function(const struct export *export, uint32_t function, char text[256]);

/* Get the functions of a node's call stack, the outermost first. Returns their number. */
uint32_t export_stack(const struct places *places, uint64_t node, uint32_t stack[FRAMES_MAX]);

/* Write a name as the last field of a line, and end the line. */
void export_put_line(FILE *out, const char *text);

/* The sums of each place's samples by event: sums[place * events + event]. */
struct export_sums {
	struct export_sum {
		uint64_t samples, weight;
	} * sums;
	uint32_t places; /* number of places that sums has room for */
	uint32_t events; /* number of the file's events */
};

/* Sum up all exported samples. *sums must be all 0 before; the caller frees sums->sums. 0, or a
 * negative errno. */
int export_sum_up(struct export *export, struct export_sums *sums, struct error *error);

/* Check that the trace of branches is whole. 0, or -ENODATA with the reason in error: the file has
 * no trace, or the ledger reports missing parts. If export->partial is set, always 0. */
int export_check_whole(const struct export *export, struct error *error);

/* Write the recording to export->out, or into the folder export->output. 0, or a negative errno.
 * The caller checks export->out for write errors. */
int export_csv(struct export *export, struct error *error);
int export_folded(struct export *export, struct error *error);
int export_speedscope(struct export *export, struct error *error);
int export_pprof(struct export *export, struct error *error);
int export_callgrind(struct export *export, struct error *error);
int export_callgrind_trace(struct export *export, struct error *error); /* of all branches */
int export_ctf(struct export *export, struct error *error);
int export_lcov(struct export *export, struct error *error);
int export_bolt(struct export *export, struct error *error);    /* of all branches */
int export_autofdo(struct export *export, struct error *error); /* of all branches */
int export_profgen(struct export *export, struct error *error); /* of all branches */
int export_firefox(struct export *export, struct error *error);
int export_chrome(struct export *export, struct error *error);

/* Write the calls of the file's branch trace as Chrome's events. is_first: no event was written
 * before. 0, or a negative errno; -ENODATA: the file has no trace of branches. */
int export_chrome_calls(struct export *export, bool is_first, struct error *error);

#endif
