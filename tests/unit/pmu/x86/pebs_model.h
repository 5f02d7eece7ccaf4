/* SPDX-License-Identifier: MIT */
/* Intel's PEBS: a counter that overflows is armed; its next event writes a record and reloads it.
 */
#ifndef TESTS_UNIT_PMU_X86_PEBS_MODEL_H
#define TESTS_UNIT_PMU_X86_PEBS_MODEL_H

#include <stdbool.h>
#include <stdint.h>

struct pebs_model {
	unsigned format; /* 0: none; from 4 on the CPU has the baseline */
	uint64_t enable, ds_area, data_cfg, ld_lat;
	uint64_t armed; /* counters, a bit each */
	/* of the next record */
	uint64_t ip, fp, sp, address, source, latency, tsc;
	unsigned records, dropped; /* written; without room */
};

/* The part of IA32_PERF_CAPABILITIES. */
uint64_t pebs_model_capabilities(const struct pebs_model *model);

/* Count events on counter i of this value. Returns the new value, and in *recorded whether the
 * counter wants a record. Events of at most one record. */
uint64_t pebs_model_count(struct pebs_model *model, unsigned i, uint64_t value, uint64_t events,
                          bool *recorded);

/* Write one record for these counters. Returns whether the threshold is reached. */
bool pebs_model_record(struct pebs_model *model, uint64_t counters);

/* These MSRs: returns whether reg is one that the model has. */
bool pebs_model_read(const struct pebs_model *model, uint32_t reg, uint64_t *value);
bool pebs_model_write(struct pebs_model *model, uint32_t reg, uint64_t value);

#endif
