/* SPDX-License-Identifier: MIT */
/*
 * A perf.data on a volume. Firmware's file systems are slow at seeking backward, and some cut a
 * file where it is written to (U-Boot). So the writer makes the file twice of the same region,
 * which does not change: the first pass measures the file and keeps its final header; the second
 * writes the file from the first byte to the last, with that header. Thread, one at a time.
 */
#ifndef AGENT_VOLUME_PERF_OUTPUT_VOLUME_H
#define AGENT_VOLUME_PERF_OUTPUT_VOLUME_H

#include <stdbool.h>
#include <stdint.h>

#include "writer/host.h"
#include "writer/perfdata/perf_file.h"

/* The result of the first pass. */
struct perf_output_plan {
	bool is_measured; /* false: the next file is only measured; true: it is written */
	struct perf_file_header header;
	uint64_t size; /* bytes */
};

extern const struct perf_output_ops perf_output_volume;

/* The plan of the next files; it must outlive them. */
void perf_output_set_plan(struct perf_output_plan *plan);

#endif
