/* SPDX-License-Identifier: MIT */
/* A model of Intel's PEBS: a counter that overflows is armed; its next event writes a record and
 * reloads the counter. */
#ifndef TESTS_UNIT_PMU_X86_PEBS_MODEL_H
#define TESTS_UNIT_PMU_X86_PEBS_MODEL_H

#include <stdbool.h>
#include <stdint.h>

struct pebs_model {
	/* the records' format; 0: no PEBS; from 4 on the CPU has the PEBS baseline */
	unsigned format;
	uint64_t enable, ds_area, data_cfg, ld_lat;
	uint64_t armed; /* counters that are armed, a bit each */
	/* the values of the next record */
	uint64_t ip, fp, sp, address, source, latency, tsc;
	unsigned records, dropped; /* records that were written, and records that found no room */
};

/* The part of IA32_PERF_CAPABILITIES. */
uint64_t pebs_model_capabilities(const struct pebs_model *model);

/* Count these events on counter i, whose value this is. Returns the new value, and in *recorded
 * whether the counter requests a record. The events may request at most one record. */
uint64_t pebs_model_count(struct pebs_model *model, unsigned i, uint64_t value, uint64_t events,
                          bool *recorded);

/* Write one record for these counters. Returns whether the threshold is reached. */
bool pebs_model_record(struct pebs_model *model, uint64_t counters);

/* Access to the model's MSRs: returns whether reg is one of them. */
bool pebs_model_read(const struct pebs_model *model, uint32_t reg, uint64_t *value);
bool pebs_model_write(struct pebs_model *model, uint32_t reg, uint64_t value);

#endif
