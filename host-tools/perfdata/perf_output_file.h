/* SPDX-License-Identifier: MIT */
/* A perf.data that is a file of the host, or its standard output. */
#ifndef HOST_TOOLS_PERFDATA_PERF_OUTPUT_FILE_H
#define HOST_TOOLS_PERFDATA_PERF_OUTPUT_FILE_H

#include <stdbool.h>

#include "writer/host.h"

struct perf_output {
	int fd;
	char *path; /* path after resolving links */
	char *old;  /* the path of the older file; NULL: there was none */
	bool is_stream;
};

extern const struct perf_output_ops perf_output_file;

/* Open an existing file that no process has open, to continue it. 0, or a negative errno. */
int perf_output_reopen(struct perf_output **output, const char *path, struct error *error);

#endif
