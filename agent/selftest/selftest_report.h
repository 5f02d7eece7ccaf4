/* SPDX-License-Identifier: MIT */
/* A self-test's results: a line for each check, as text for people and as JSON for tools. */
#ifndef AGENT_SELFTEST_SELFTEST_REPORT_H
#define AGENT_SELFTEST_SELFTEST_REPORT_H

#include <stdint.h>

#include "lib/survey/survey.h"

enum selftest_verdict {
	SELFTEST_PASS,
	SELFTEST_FAIL,
	SELFTEST_ABSENT, /* the machine does not have it, or bareperf cannot use it: no verdict */
	SELFTEST_VERDICTS
};

#define SELFTEST_FIGURES 10U

/* A number on which the verdict is based. Its unit is in its name: "latency_max_ns". */
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

#define SELFTEST_LINES 320U /* one for each CPU of the largest machine, and all others */

struct selftest_report {
	const char *architecture; /* the name that uname -m prints */
	struct survey *survey;    /* the machine's figures; NULL: none are taken */
	void (*beat)(void);       /* called often: the run is alive */
	unsigned nr_lines;
	unsigned verdicts[SELFTEST_VERDICTS]; /* the number of lines with each verdict */
	struct selftest_line lines[SELFTEST_LINES];
};

/* Set the line's verdict and text, formatted as by print_text(). Thread, as all functions here. */
void selftest_say(struct selftest_line *line, enum selftest_verdict verdict, const char *format,
                  ...) __attribute__((format(printf, 3, 4)));

/* Add a figure. name must stay valid. Figures beyond SELFTEST_FIGURES are dropped. */
void selftest_figure(struct selftest_line *line, const char *name, int64_t value);

/* The figure's value; 0: the line has none of that name. */
int64_t selftest_figure_of(const struct selftest_line *line, const char *name);

/* Add line under the name of its check, formatted as by print_text(). Lines beyond SELFTEST_LINES
 * are counted, but not kept. */
void selftest_add(struct selftest_report *report, const struct selftest_line *line,
                  const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Print the whole report: as a table and the survey's text, or as one JSON object in one line of
 * ASCII. */
void selftest_print_text(const struct selftest_report *report, survey_print_fn print);
void selftest_print_json(const struct selftest_report *report, survey_print_fn print);

#endif
