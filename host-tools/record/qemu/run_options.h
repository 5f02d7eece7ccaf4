/* SPDX-License-Identifier: MIT */
/* The command line of `bareperf run`. */
#ifndef HOST_TOOLS_RECORD_QEMU_RUN_OPTIONS_H
#define HOST_TOOLS_RECORD_QEMU_RUN_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "host-tools/record/command/guest.h"
#include "host-tools/session/output_options.h"
#include "host-tools/top/top_options.h"

struct run_options {
	const char *arch;             /* "x86_64" unless said */
	const char *image;            /* NULL: where this tool was built */
	struct output_options output; /* "perf.data" unless said; of `stat` and `top`, /dev/null */
	const char *qemu;             /* NULL: search $PATH */
	const char *firmware;         /* NULL: search */
	const char *region;           /* file to keep the shared memory in; NULL: anonymous */
	uint64_t region_size;         /* bytes, a power of two */
	double timeout;               /* s until the region must be there */
	bool verbose;
	bool dry_run;     /* the command is checked only */
	bool no_doorbell; /* poll */
	bool json;        /* of `stat`: counts for machines */
	bool stat;        /* the command is that */
	struct top_options top;
	char **qemu_options;
	int qemu_option_count;
	struct guest guest;
};

/* Take argv apart: our options, QEMU's, which are all others before "--", and behind that the
 * guest's command. Does not return for --help or a wrong command line. */
void run_options_parse(struct run_options *options, int argc, char **argv);

#endif
