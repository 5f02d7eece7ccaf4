/* SPDX-License-Identifier: MIT */
#include "pmu/x86/intel_pebs_record.h"

#include "arch/x86_64/pmu/pebs.h"
#include "arch/x86_64/pmu/perfmon.h"
#include "pmu/x86/perf_mem.h"

#define FORMAT_FIXED    3U /* the oldest format with a time */
#define FORMAT_ADAPTIVE 4U
#define FORMAT_NEWEST   6U

static bool intel_pebs_is_there(void)
{
	uint32_t ecx = (uint32_t)arch_reg_read(CPUID_WORD(CPUID_FEATURES, CPUID_ECX));
	uint32_t edx = (uint32_t)arch_reg_read(CPUID_WORD(CPUID_FEATURES, CPUID_EDX));
	uint32_t version = arch_reg_read(CPUID_WORD(CPUID_PERFMON, CPUID_EAX)) & 0xff;

	return version >= 2 && edx & CPUID_FEATURES_DS && ecx & CPUID_FEATURES_DTES64 &&
	       ecx & CPUID_FEATURES_PDCM &&
	       !(arch_reg_read(IA32_MISC_ENABLE) & MISC_ENABLE_PEBS_UNAVAILABLE);
}

struct intel_pebs_form intel_pebs_form(void)
{
	struct intel_pebs_form form = { 0 };
	uint64_t capabilities;

	if (!intel_pebs_is_there())
		return form;
	capabilities = arch_reg_read(IA32_PERF_CAPABILITIES);
	form.format = capabilities >> PERF_CAPABILITIES_PEBS_FORMAT & 0xf;
	form.baseline = capabilities & PERF_CAPABILITIES_PEBS_BASELINE;
	if (form.format < FORMAT_FIXED || form.format > FORMAT_NEWEST ||
	    (form.format >= FORMAT_ADAPTIVE && !form.baseline))
		return (struct intel_pebs_form){ 0 };
	form.counters = form.baseline ? 0xff : 0xf;
	form.groups = form.baseline ? PEBS_DATA_MEM | PEBS_DATA_GPRS : 0;
	form.size = sizeof(uint64_t) *
	            (form.baseline ? PEBS_BASIC + PEBS_MEM_WORDS + PEBS_GPR_WORDS : PEBS_WORDS);
	return form;
}

uint64_t intel_pebs_record_counters(const struct intel_pebs_form *form, const uint64_t *record)
{
	return record[form->format >= FORMAT_ADAPTIVE ? PEBS_APPLICABLE : PEBS_COUNTERS] &
	       form->counters;
}

/* The latency of an adaptive record: bits 15:0 are the instruction's where bits 47:32 have the
 * cache's (Golden Cove and later), else it is the cache's. WEIGHT_STRUCT has the cache's first. */
static uint64_t intel_pebs_weight(uint64_t latency)
{
	uint64_t cache = latency >> 32 & 0xffff;

	return cache ? cache | (latency & 0xffff) << 32 : latency & UINT32_MAX;
}

static void intel_pebs_read_adaptive(const struct intel_pebs_form *form, const uint64_t *record,
                                     struct intel_pebs_sample *sample)
{
	const uint64_t *at = record + PEBS_BASIC;

	sample->tsc = record[PEBS_TIME];
	sample->precise.place.pc = record[PEBS_IP];
	if (form->groups & PEBS_DATA_MEM) {
		sample->address = at[0];
		sample->source = at[1];
		sample->weight = intel_pebs_weight(at[2]);
		at += PEBS_MEM_WORDS;
	}
	if (form->groups & PEBS_DATA_GPRS) {
		sample->precise.place.sp = at[PEBS_GPR_RSP];
		sample->precise.place.fp = at[PEBS_GPR_RBP];
	}
}

void intel_pebs_record_read(const struct intel_pebs_form *form, const uint64_t *record,
                            struct intel_pebs_sample *sample)
{
	*sample = (struct intel_pebs_sample){ 0 };
	if (form->format >= FORMAT_ADAPTIVE) {
		intel_pebs_read_adaptive(form, record, sample);
		return;
	}
	sample->tsc = record[PEBS_TSC];
	sample->address = record[PEBS_ADDRESS];
	sample->source = record[PEBS_SOURCE];
	sample->precise.place.pc = record[PEBS_EVENTING];
	sample->precise.place.fp = record[PEBS_RBP];
	sample->precise.place.sp = record[PEBS_RSP];
	sample->weight = record[PEBS_LATENCY] & UINT32_MAX;
}

/* ---- Data sources: perf's union perf_mem_data_src ---- */

#define SOURCE_STLB_MISS (1U << 4)
#define SOURCE_LOCKED    (1U << 5)
#define SOURCE_L1_HIT    (1U << 0) /* of a store */

#define SOURCE(level, number, snoop) (MEM_LVL(level) | MEM_NUM(number) | MEM_SNOOP(snoop))

/* perf's PERF_MEM_NA without its operation. */
#define UNKNOWN_LEVEL (MEM_LVL(LVL_NA) | MEM_SNOOP(SNOOP_NA) | MEM_LOCK_NA | MEM_TLB(TLB_NA))

/* "Data Source Encoding for Load Latency Record", Skylake's: bits 3:0. */
static const uint64_t sources[16] = {
	SOURCE(LVL_MISS | LVL_L3, NUM_NA, SNOOP_NA),    /* unknown, beyond L3 */
	SOURCE(LVL_HIT | LVL_L1, NUM_L1, SNOOP_NONE),   /* L1 */
	SOURCE(LVL_HIT | LVL_LFB, NUM_LFB, SNOOP_NONE), /* a fill under way */
	SOURCE(LVL_HIT | LVL_L2, NUM_L2, SNOOP_NONE),   /* L2 */
	SOURCE(LVL_HIT | LVL_L3, NUM_L3, SNOOP_NONE),   /* L3, no snoop */
	SOURCE(LVL_HIT | LVL_L3, NUM_L3, SNOOP_MISS),   /* L3, snoop missed */
	SOURCE(LVL_HIT | LVL_L3, NUM_L3, SNOOP_HIT),    /* L3, snoop hit */
	SOURCE(LVL_HIT | LVL_L3, NUM_L3, SNOOP_HITM),   /* L3, hit modified */
	SOURCE(LVL_HIT | LVL_REMOTE_CACHE, NUM_ANY, SNOOP_HIT) | MEM_REMOTE,
	SOURCE(LVL_HIT | LVL_REMOTE_CACHE, NUM_ANY, SNOOP_HITM) | MEM_REMOTE,
	SOURCE(LVL_HIT | LVL_RAM, NUM_RAM, SNOOP_HIT), /* local, shared */
	SOURCE(LVL_HIT | LVL_REMOTE_RAM, NUM_RAM, SNOOP_HIT) | MEM_REMOTE,
	SOURCE(LVL_HIT | LVL_RAM, NUM_RAM, SNOOP_NONE), /* local, exclusive */
	SOURCE(LVL_HIT | LVL_REMOTE_RAM, NUM_RAM, SNOOP_NONE) | MEM_REMOTE,
	SOURCE(LVL_NA | LVL_IO, NUM_NA, SNOOP_NONE),
	SOURCE(LVL_NA | LVL_UNCACHED, NUM_NA, SNOOP_NONE),
};

/* A store reports whether it hit the first level. The other events' records do not say where their
 * data came from (SDM volume 3B, "Data Linear Address Facility"). */
uint64_t intel_pebs_data_src(uint64_t source, enum x86_accesses accesses)
{
	uint64_t tlb = source & SOURCE_STLB_MISS ? TLB_MISS | TLB_L2 : TLB_HIT | TLB_L1 | TLB_L2;
	uint64_t common = MEM_TLB(tlb) | (source & SOURCE_LOCKED ? MEM_LOCKED : 0);

	switch (accesses) {
	case X86_TIMED_LOADS:
		return MEM_OP_LOAD | sources[source & 0xf] | common;
	case X86_LOADS:
		return MEM_OP_LOAD | UNKNOWN_LEVEL;
	case X86_STORES:
		return MEM_OP_STORE | common |
		       (source & SOURCE_L1_HIT ? SOURCE(LVL_HIT | LVL_L1, NUM_L1, SNOOP_NA)
		                               : SOURCE(LVL_MISS | LVL_L1, NUM_L1, SNOOP_NA));
	default:
		return MEM_OP_NA | UNKNOWN_LEVEL;
	}
}
