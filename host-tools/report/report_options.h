/* SPDX-License-Identifier: MIT */
/* The options of `bareperf report`. Main thread. */
#ifndef HOST_TOOLS_REPORT_REPORT_OPTIONS_H
#define HOST_TOOLS_REPORT_REPORT_OPTIONS_H

#include <stdbool.h>

#include "host-tools/pe/pe_search.h"
#include "host-tools/report/report_table.h"

struct report_options {
	const char *input;
	const char *event;  /* NULL: all events with samples */
	const char *output; /* for --html; NULL: standard output */
	bool html;
	bool annotate;
	bool no_inline;         /* for --html */
	const char *of_modules; /* the option that selected modules; NULL: none */
	bool phases;            /* group by phases, too */
	bool calls;             /* the calls of a branch trace instead of samples */
	bool boot;              /* a recorded boot in 30 lines */
	bool json;
	const char *of_table; /* an option that only the table supports; NULL: none */
	struct pe_search search;
	struct report_table table;
};

/* Read the command line. On wrong usage the process ends with the error. */
void report_options_parse(struct report_options *options, int argc, char **argv);

#endif
