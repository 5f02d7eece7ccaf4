/* SPDX-License-Identifier: MIT */
/* `report --calls`: how often each function was called, and the instructions of its calls. */
#ifndef HOST_TOOLS_REPORT_BRANCHES_CALLS_H
#define HOST_TOOLS_REPORT_BRANCHES_CALLS_H

#include <stdbool.h>
#include <stdio.h>

#include "host-tools/report/recording_file.h"
#include "writer/util/error.h"

struct calls_options {
	double limit;          /* omit functions with a smaller share of the instructions, in % */
	const char *separator; /* between columns; NULL: align them */
	bool is_json;
};

/* Read the recording's trace of all branches and print its calls. 0, or a negative errno. */
int calls_print(struct recording_file *file, const struct calls_options *options, FILE *out,
                struct error *error);

#endif
