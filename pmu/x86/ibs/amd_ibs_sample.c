/* SPDX-License-Identifier: MIT */
#include "pmu/x86/ibs/amd_ibs_sample.h"

#include "arch/x86_64/pmu/amd_perfmon.h"
#include "arch/x86_64/pmu/ibs.h"
#include "arch/x86_64/pmu/perfmon.h"
#include "pmu/x86/perf_mem.h"

#define OP_REGISTERS    7U /* from IBS_OP_CTL on */
#define FETCH_REGISTERS 3U
#define MEMORY                                                                 \
	(PERF_SAMPLE_ADDR | PERF_SAMPLE_WEIGHT_STRUCT | PERF_SAMPLE_DATA_SRC | \
	 PERF_SAMPLE_PHYS_ADDR)

uint32_t amd_ibs_features(void)
{
	uint32_t ecx = (uint32_t)arch_reg_read(CPUID_WORD(CPUID_EXTENDED_FEATURES, CPUID_ECX));
	uint32_t eax = (uint32_t)arch_reg_read(CPUID_WORD(CPUID_IBS, CPUID_EAX));

	return ecx & CPUID_EXTENDED_IBS && eax & CPUID_IBS_VALID ? eax : 0;
}

/* ---- Data sources ---- */

#define SOURCE(level, number)     (MEM_LVL(LVL_HIT | (level)) | MEM_NUM(number))
#define FAR_SOURCE(level, number) (SOURCE(level, number) | MEM_REMOTE | MEM_HOPS(1))

/* DataSrc of IBS_OP_DATA2: 3 bits up to Zen 3, 5 bits from Zen 4 on (PPRs). 0: nothing known. */
static const uint64_t old_sources[8] = {
	[2] =
	    SOURCE(LVL_L3 | LVL_REMOTE_CACHE, NUM_ANY), /* L3, or another core's cache beside it */
	[3] = SOURCE(LVL_RAM, NUM_RAM),
	[4] = FAR_SOURCE(LVL_FAR_CACHE, NUM_ANY), /* a cache of another node */
	[7] = SOURCE(LVL_IO, NUM_IO),
};
static const uint64_t new_sources[32] = {
	[1] = SOURCE(LVL_L3, NUM_L3),
	[2] = SOURCE(LVL_REMOTE_CACHE, NUM_ANY) | MEM_REMOTE, /* another complex of this node */
	[3] = SOURCE(LVL_RAM, NUM_RAM),
	[5] = FAR_SOURCE(LVL_FAR_CACHE, NUM_ANY), /* another node */
	[6] = MEM_NUM(NUM_PMEM),
	[7] = SOURCE(LVL_IO, NUM_IO),
	[8] = MEM_NUM(NUM_CXL),
};

#define OLD_CACHE  2U
#define RAM        3U
#define IO         7U
#define NEW_CACHES (1U << 1 | 1U << 2 | 1U << 5)
#define NEW_REMOTE (1U << 6 | 1U << 8) /* with IBS_OP_DATA2_REMOTE: another node's */

static unsigned amd_ibs_source(uint64_t data2, bool is_new)
{
	unsigned low = data2 & IBS_OP_DATA2_SOURCE;

	return is_new ? low | (data2 >> 6 & 3) << 3 : low;
}

static uint64_t amd_ibs_beyond_caches(uint64_t data2, bool is_new)
{
	unsigned source = amd_ibs_source(data2, is_new);
	uint64_t level = is_new ? new_sources[source] : old_sources[source];

	if (!(data2 & IBS_OP_DATA2_REMOTE))
		return level;
	if (source == RAM)
		return FAR_SOURCE(LVL_REMOTE_RAM, NUM_RAM);
	return is_new && NEW_REMOTE >> source & 1 ? level | MEM_REMOTE | MEM_HOPS(1) : level;
}

/* The caches' bits are not valid for uncached accesses, DataSrc is for loads only. */
static uint64_t amd_ibs_level(uint64_t data2, uint64_t data3, bool is_new)
{
	uint64_t level = 0;

	if (data3 & IBS_OP_DATA3_UNCACHED && amd_ibs_source(data2, is_new) != IO)
		return SOURCE(LVL_UNCACHED, NUM_UNCACHED);
	if (!(data3 & IBS_OP_DATA3_DC_MISS))
		return SOURCE(LVL_L1, NUM_L1);
	if (!(data3 & IBS_OP_DATA3_L2_MISS))
		return SOURCE(LVL_L2, NUM_L2);
	if (data3 & IBS_OP_DATA3_LOAD)
		level = amd_ibs_beyond_caches(data2, is_new);
	if (!level && data3 & IBS_OP_DATA3_NO_MAB)
		return SOURCE(LVL_LFB, NUM_LFB);
	return level ? level : MEM_LVL(LVL_NA) | MEM_NUM(NUM_NA);
}

/* CacheHitSt 0: the line was another core's modified one. */
static uint64_t amd_ibs_snoop(uint64_t data2, uint64_t data3, bool is_new)
{
	unsigned source = amd_ibs_source(data2, is_new);
	bool cache = is_new ? NEW_CACHES >> source & 1 : source == OLD_CACHE;

	if (!(data3 & IBS_OP_DATA3_LOAD) || !(data3 & IBS_OP_DATA3_DC_MISS) ||
	    !(data3 & IBS_OP_DATA3_L2_MISS) || data2 & IBS_OP_DATA2_CACHE_HIT_ST || !cache)
		return MEM_SNOOP(SNOOP_NA);
	return MEM_SNOOP(SNOOP_HITM);
}

static uint64_t amd_ibs_tlb(uint64_t data3)
{
	if (!(data3 & IBS_OP_DATA3_LINEAR_VALID))
		return MEM_TLB(TLB_NA);
	if (!(data3 & IBS_OP_DATA3_L1_TLB_MISS))
		return MEM_TLB(TLB_L1 | TLB_HIT);
	return MEM_TLB(TLB_L2 | (data3 & IBS_OP_DATA3_L2_TLB_MISS ? TLB_MISS : TLB_HIT));
}

uint64_t amd_ibs_data_src(uint64_t data2, uint64_t data3, uint32_t features)
{
	bool is_new = features & CPUID_IBS_L3_MISS_ONLY;
	uint64_t op = data3 & IBS_OP_DATA3_LOAD ? MEM_OP_LOAD : MEM_OP_STORE;

	if (!(data3 & (IBS_OP_DATA3_LOAD | IBS_OP_DATA3_STORE)))
		return MEM_OP_NA | MEM_LVL(LVL_NA) | MEM_SNOOP(SNOOP_NA) | MEM_LOCK_NA |
		       MEM_TLB(TLB_NA);
	return op | amd_ibs_level(data2, data3, is_new) | amd_ibs_snoop(data2, data3, is_new) |
	       amd_ibs_tlb(data3) | (data3 & IBS_OP_DATA3_LOCKED ? MEM_LOCKED : MEM_LOCK_NA);
}

/* ---- The registers ---- */

/* count words of raw are registers. perf: u32 size, u32 features, the registers. */
static void amd_ibs_close_raw(struct amd_ibs_sample *sample, unsigned count, uint32_t features)
{
	sample->raw[0] = (sizeof(uint32_t) + 8 * count) | (uint64_t)features << 32;
	sample->precise.raw = sample->raw;
}

static void amd_ibs_set_place(struct amd_ibs_sample *sample, uint64_t pc, bool valid,
                              const struct arch_regs *regs)
{
	struct callchain_place *place = &sample->precise.place;

	place->pc = valid || !regs ? pc : arch_regs_pc(regs);
	place->fp = regs ? arch_regs_fp(regs) : 0;
	place->sp = regs ? arch_regs_sp(regs) : 0;
	place->regs = NULL;
	sample->precise.inexact = !valid;
}

/* data, data2, data3: the registers. */
static void amd_ibs_set_access(struct amd_ibs_sample *sample, const uint64_t *data,
                               uint64_t address, uint32_t features)
{
	uint64_t data3 = data[2];
	bool load = data3 & IBS_OP_DATA3_LOAD;

	sample->precise.data_src = amd_ibs_data_src(data[1], data3, features);
	if (!load && !(data3 & IBS_OP_DATA3_STORE))
		return;
	if (data3 & IBS_OP_DATA3_LINEAR_VALID)
		sample->address = address;
	if (!load || !(data3 & IBS_OP_DATA3_DC_MISS))
		return;
	sample->latency = data3 >> IBS_OP_DATA3_LATENCY & 0xffff;
	/* perf's var1_dw and var2_w */
	sample->precise.weight = sample->latency | (data[0] >> IBS_OP_DATA_TAG_TO_RET & 0xffff)
	                                               << 32;
}

void amd_ibs_read_op(struct amd_ibs_sample *sample, const struct perf_event *event, uint64_t ctl,
                     uint32_t features, const struct arch_regs *regs)
{
	uint64_t type = event->attr.sample_type, *at = sample->raw + 1;
	bool all = type & (PERF_SAMPLE_RAW | MEMORY) || event->attr.config1;
	unsigned n = all ? OP_REGISTERS : features & CPUID_IBS_RIP_INVALID ? 3 : 2;
	bool valid;

	sample->precise.raw = NULL;
	sample->precise.weight = sample->address = sample->latency = 0;
	at[0] = ctl;
	for (unsigned i = 1; i < n; i++)
		at[i] = arch_counter_read(IBS_OP_CTL + i);
	valid = !(features & CPUID_IBS_RIP_INVALID) || !(at[2] & IBS_OP_DATA_RIP_INVALID);
	amd_ibs_set_place(sample, at[1], valid, regs);
	if (all)
		amd_ibs_set_access(sample, at + 2, at[IBS_DC_LINADDR - IBS_OP_CTL], features);
	if (!(type & PERF_SAMPLE_RAW))
		return;
	if (features & CPUID_IBS_TARGET)
		at[n++] = arch_counter_read(BP_IBSTGT_RIP);
	if (features & CPUID_IBS_OP_DATA4)
		at[n++] = arch_counter_read(IBS_OP_DATA4);
	amd_ibs_close_raw(sample, n, features);
}

void amd_ibs_read_fetch(struct amd_ibs_sample *sample, const struct perf_event *event, uint64_t ctl,
                        uint32_t features, const struct arch_regs *regs)
{
	uint64_t type = event->attr.sample_type, *at = sample->raw + 1;
	unsigned n = type & PERF_SAMPLE_RAW ? FETCH_REGISTERS : 2;

	sample->precise.raw = NULL;
	sample->precise.weight = sample->address = sample->latency = 0;
	sample->precise.data_src = amd_ibs_data_src(0, 0, features);
	at[0] = ctl;
	for (unsigned i = 1; i < n; i++)
		at[i] = arch_counter_read(IBS_FETCH_CTL + i);
	amd_ibs_set_place(sample, at[1], true, regs);
	if (!(type & PERF_SAMPLE_RAW))
		return;
	if (features & CPUID_IBS_FETCH_EXTD)
		at[n++] = arch_counter_read(IC_IBS_EXTD_CTL);
	amd_ibs_close_raw(sample, n, features);
}
