/* SPDX-License-Identifier: MIT */
/* The records that Intel's PEBS writes, of format 3 (Skylake) and adaptive (formats 4 to 6, Ice
 * Lake and later), as values of a sample. */
#ifndef PMU_X86_INTEL_PEBS_RECORD_H
#define PMU_X86_INTEL_PEBS_RECORD_H

#include <stdbool.h>

#include "pmu/sample.h"
#include "pmu/x86/x86_counters.h"

struct intel_pebs_form {
	unsigned format; /* of IA32_PERF_CAPABILITIES; 0: none that we know */
	uint32_t size;   /* of a record, bytes */
	uint64_t groups; /* PEBS_DATA_*: of an adaptive record, beside the basic group */
	/* counters that have PEBS, a bit each; all events are precise, not only some */
	uint64_t counters;
	bool baseline;
};

/* The form of this CPU's records, with the groups that samples need. CPUID and capabilities only.
 * Thread, or interrupts masked. */
struct intel_pebs_form intel_pebs_form(void);

/* The counters that a record is for, a bit each. */
uint64_t intel_pebs_record_counters(const struct intel_pebs_form *form, const uint64_t *record);

/* The values of a sample, except data_src: source is the hardware's own encoding. Any context. */
struct intel_pebs_sample {
	struct sample_precise precise;
	uint64_t tsc;
	uint64_t
	    address; /* 0: the instruction accessed no memory, or the record does not have it */
	uint64_t source;
	uint64_t weight; /* of a load; precise.weight is not set */
};
void intel_pebs_record_read(const struct intel_pebs_form *form, const uint64_t *record,
                            struct intel_pebs_sample *sample);

/* perf's union perf_mem_data_src of a source, by the event's accesses. */
uint64_t intel_pebs_data_src(uint64_t source, enum x86_accesses accesses);

#endif
