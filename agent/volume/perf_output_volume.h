/* SPDX-License-Identifier: MIT */
/*
 * A perf.data on a volume. Firmware's file systems are slow at going back, and some cut a file
 * where it is written to (U-Boot); so the file is made twice of the same region, which stands
 * still: first it is measured, and what its header comes to is kept; then it is written, from the
 * first byte to the last, with that header. Thread, one at a time.
 */
#ifndef AGENT_VOLUME_PERF_OUTPUT_VOLUME_H
#define AGENT_VOLUME_PERF_OUTPUT_VOLUME_H

#include <stdbool.h>
#include <stdint.h>

#include "writer/perfdata/perf_file.h"

/* The sizes of perf_output.h's files. */
struct perf_output_plan {
	bool is_measured; /* false: the next one is measured only; true: it is written */
	struct perf_file_header header;
	uint64_t size; /* bytes */
};

void perf_output_set_plan(struct perf_output_plan *plan);

#endif
