/* SPDX-License-Identifier: MIT */
/* A self-test's results: a line for each check, as text for people and as JSON for tools. */
#ifndef AGENT_SELFTEST_SELFTEST_REPORT_H
#define AGENT_SELFTEST_SELFTEST_REPORT_H

#include <stdint.h>

enum selftest_verdict {
	SELFTEST_PASS,
	SELFTEST_FAIL,
	SELFTEST_ABSENT, /* the machine has none, or keeps it from us: nothing to judge */
	SELFTEST_VERDICTS
};

#define SELFTEST_FIGURES 10U

/* A number that the verdict rests on; its unit is in the name: "latency_max_ns". */
struct selftest_figure {
	const char *name;
	int64_t value;
};

struct selftest_line {
	char check[40];
	enum selftest_verdict verdict;
	char text[160]; /* the finding, as a phrase */
	unsigned nr_figures;
	struct selftest_figure figures[SELFTEST_FIGURES];
};

#define SELFTEST_LINES 320U /* one a CPU of the largest machine, and all others */

struct selftest_report {
	const char *architecture; /* uname -m calls it so */
	unsigned nr_lines;
	unsigned verdicts[SELFTEST_VERDICTS]; /* how many of each */
	struct selftest_line lines[SELFTEST_LINES];
};

/* Say what was found: verdict, and text as by print_text(). Thread, as all here. */
void selftest_say(struct selftest_line *line, enum selftest_verdict verdict, const char *format,
                  ...) __attribute__((format(printf, 3, 4)));

/* One figure more; name is kept by reference. Figures beyond SELFTEST_FIGURES are dropped. */
void selftest_figure(struct selftest_line *line, const char *name, int64_t value);

/* Add line under the name of its check (as by print_text()); what exceeds SELFTEST_LINES is counted
 * and not kept. */
void selftest_add(struct selftest_report *report, const struct selftest_line *line,
                  const char *format, ...) __attribute__((format(printf, 3, 4)));

/* The whole report by a line printer: a table, or one JSON object in one line of ASCII. A file of
 * either is a printer that writes to it. */
typedef void (*selftest_print_fn)(const char *format, ...) __attribute__((format(printf, 1, 2)));
void selftest_print_text(const struct selftest_report *report, selftest_print_fn print);
void selftest_print_json(const struct selftest_report *report, selftest_print_fn print);

#endif
