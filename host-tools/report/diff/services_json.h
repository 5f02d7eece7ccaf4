/* SPDX-License-Identifier: MIT */
/* Reads a report of `bench --uefi`. Any thread. */
#ifndef HOST_TOOLS_REPORT_DIFF_SERVICES_JSON_H
#define HOST_TOOLS_REPORT_DIFF_SERVICES_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "writer/util/error.h"

#define SERVICES_MOST 256U

/* The figures of a service's calls that the comparison uses, in ns or instructions. */
struct services_spread {
	double p25, median, p75;
};

struct services_row {
	char name[96];  /* "GetVariable (not found)"; ASCII */
	uint64_t error; /* the firmware's; 0: it was measured */
	uint64_t calls;
	struct services_spread ns, instructions;
};

struct services_file {
	char architecture[16], firmware[64];
	uint64_t revision, hz;
	bool counts; /* has instructions */
	unsigned count;
	struct services_row rows[SERVICES_MOST];
};

/* Read size bytes of JSON. 0; -EINVAL and the reason: it is no such report. */
int services_json_read(struct services_file *file, const char *bytes, size_t size,
                       struct error *error);

#endif
