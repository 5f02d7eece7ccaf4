/* SPDX-License-Identifier: MIT */
/* The events of AMD's instruction-based sampling, and the features that they need. */
#include "pmu/x86/ibs/amd_ibs_event.h"

#include <errno.h>

#include "arch/x86_64/pmu/amd_perfmon.h"
#include "arch/x86_64/pmu/ibs.h"
#include "arch/x86_64/pmu/perfmon.h"
#include "pmu/sampling.h"
#include "pmu/x86/ibs/amd_ibs.h"
#include "pmu/x86/ibs/amd_ibs_sample.h"

int amd_ibs_probe(const char **why)
{
	uint32_t needed = CPUID_IBS_FETCH | CPUID_IBS_OP | CPUID_IBS_RDWR_OP_CNT | CPUID_IBS_OP_CNT;

	*why = "this CPU is not from AMD";
	if ((uint32_t)arch_reg_read(CPUID_WORD(0U, CPUID_EBX)) != CPUID_VENDOR_AUTH)
		return -ENODEV;
	*why = "this CPU has no instruction-based sampling (IBS), or a hypervisor hides it";
	if ((amd_ibs_features() & needed) != needed)
		return -ENODEV;
	*why = "the firmware has assigned no interrupt to IBS (MSR C001_103A)";
	if (!(arch_reg_read(IBS_CTL) & IBS_CTL_VALID))
		return -EBUSY;
	*why = NULL;
	return 0;
}

static unsigned amd_ibs_level(const struct perf_event_attr *attr)
{
	return attr->flags >> PERF_ATTR_PRECISE_IP & 3;
}

/* perf's terms that this CPU has; 0, or -EOPNOTSUPP with event->why. */
static int amd_ibs_check_terms(struct perf_event *event, bool is_op)
{
	unsigned bit = is_op ? IBS_OP_L3_MISS : IBS_FETCH_L3_MISS;
	uint32_t features = amd_ibs_features();

	event->why = "this CPU's IBS cannot choose accesses that miss L3 (Zen 4 and later can)";
	if (event->attr.config >> bit & 1 && !(features & CPUID_IBS_L3_MISS_ONLY))
		return -EOPNOTSUPP;
	event->why = "this CPU's IBS has no ldlat (Zen 5 has it)";
	if (event->attr.config1 && !(features & CPUID_IBS_LOAD_LATENCY))
		return -EOPNOTSUPP;
	event->why = "ldlat must be 128 to 2048 cycles";
	if (event->attr.config1 && (event->attr.config1 < 128 || event->attr.config1 > 2048))
		return -EINVAL;
	event->why = NULL;
	return 0;
}

/* The hardware compares in steps of 128 cycles, and amd_ibs.c exactly. Erratum 1606 of Zen
 * 5: it does so rightly only with L3MissOnly. */
static uint64_t amd_ibs_latency_bits(uint64_t latency)
{
	if (!latency)
		return 0;
	return (latency / 128 - 1) << IBS_OP_LATENCY | IBS_OP_LATENCY_EN | 1ULL << IBS_OP_L3_MISS;
}

static int amd_ibs_setup(struct perf_event *event, bool is_op, uint64_t config)
{
	const char *why;
	int code = amd_ibs_probe(&why);

	event->why = why;
	if (!code)
		code = amd_ibs_check_terms(event, is_op);
	if (code)
		return code;
	*amd_ibs_of(event) = (struct hw_amd_ibs){
		.config = config | amd_ibs_latency_bits(event->attr.config1),
		.latency = event->attr.config1,
	};
	code = sampling_init(event);
	event->sampling.dense = 0; /* the driver's least distance keeps samples apart */
	return code;
}

/* Cycles or ops by the events that perf forwards: cycles:p, r076:p, r0c1:p. -ENOENT: no precise
 * event; another event that counts the same on this CPU's counters is theirs. */
static int amd_ibs_forwarded(struct perf_event *event, uint64_t *config)
{
	const struct perf_event_attr *attr = &event->attr;
	const char *why;

	if ((attr->type != PERF_TYPE_HARDWARE && attr->type != PERF_TYPE_RAW) ||
	    !amd_ibs_level(attr) || !(attr->sample_period || attr->flags & PERF_ATTR_FREQ) ||
	    amd_ibs_probe(&why))
		return -ENOENT;
	event->why = "AMD's IBS has two levels: leave out one p";
	if (amd_ibs_level(attr) > 2)
		return -EOPNOTSUPP;
	event->why = NULL;
	*config = attr->type == PERF_TYPE_RAW && attr->config == 0xc1 ? 1ULL << IBS_OP_CNT_CTL : 0;
	if (*config || (attr->type == PERF_TYPE_RAW && attr->config == 0x76) ||
	    (attr->type == PERF_TYPE_HARDWARE && attr->config == PERF_COUNT_HW_CPU_CYCLES))
		return 0;
	event->why = "only cycles, r076 and r0c1 have precise samples on AMD's CPUs (IBS)";
	return -EOPNOTSUPP;
}

int amd_ibs_init_op(struct perf_event *event)
{
	uint64_t config = event->attr.config;
	int code = 0;

	if (event->attr.type != PERF_TYPE_IBS_OP)
		code = amd_ibs_forwarded(event, &config);
	return code ? code : amd_ibs_setup(event, true, config);
}

int amd_ibs_init_fetch(struct perf_event *event)
{
	if (event->attr.type != PERF_TYPE_IBS_FETCH)
		return -ENOENT;
	event->why = "ibs_fetch counts in steps of 16: choose a period that is a multiple";
	if (!(event->attr.flags & PERF_ATTR_FREQ) && event->attr.sample_period % IBS_STEP)
		return -EINVAL;
	event->why = NULL;
	return amd_ibs_setup(event, false, event->attr.config);
}

/* perf's sysfs names. The maximum's upper bits, a field of its own, are the period's. */
const struct pmu_format amd_ibs_op_formats[] = {
	{ "cnt_ctl", 0, IBS_OP_CNT_CTL, IBS_OP_CNT_CTL },
	{ "l3missonly", 0, IBS_OP_L3_MISS, IBS_OP_L3_MISS },
	{ "ldlat", 1, 0, 11 },
	{ "swfilt", 2, 0, 0 },
	{ NULL, 0, 0, 0 },
};
const struct pmu_format amd_ibs_fetch_formats[] = {
	{ "rand_en", 0, IBS_FETCH_RAND_EN, IBS_FETCH_RAND_EN },
	{ "l3missonly", 0, IBS_FETCH_L3_MISS, IBS_FETCH_L3_MISS },
	{ "swfilt", 2, 0, 0 },
	{ NULL, 0, 0, 0 },
};
