/* SPDX-License-Identifier: MIT */
/* A perf.data that is a file of the host's, for who has to do with files. */
#ifndef HOST_TOOLS_PERFDATA_PERF_OUTPUT_FILE_H
#define HOST_TOOLS_PERFDATA_PERF_OUTPUT_FILE_H

#include "writer/perfdata/perf_output.h"

struct perf_output {
	int fd;
	char *path; /* links resolved */
	char *old;  /* the path of the older file; NULL: there was none */
	bool is_stream;
};

/* Go on with a file that is there, and that no process has open. 0, or a negative errno. */
int perf_output_reopen(struct perf_output **output, const char *path, struct error *error);

#endif
