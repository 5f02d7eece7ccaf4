/* SPDX-License-Identifier: MIT */
/* Precise event-based sampling (PEBS): SDM volume 3B, chapter 20 ("Precise Event Based Sampling",
 * "Adaptive PEBS"). Constants only; they compile anywhere. */
#ifndef ARCH_X86_64_PMU_PEBS_H
#define ARCH_X86_64_PMU_PEBS_H

#define MSR_PEBS_DATA_CFG         0x3f2
#define MSR_PEBS_LD_LAT_THRESHOLD 0x3f6

/* IA32_PEBS_ENABLE: a bit a general counter, and from here on one for its load latency */
#define PEBS_ENABLE_LL 32

/* IA32_PERF_CAPABILITIES */
#define PERF_CAPABILITIES_PEBS_FORMAT   8 /* 4 bits */
#define PERF_CAPABILITIES_PEBS_BASELINE (1ULL << 14)

#define PERFEVTSEL_ADAPTIVE (1ULL << 34)

/* Words of a record of format 3, and of the groups of an adaptive record in their order. */
#define PEBS_RBP        8
#define PEBS_RSP        9
#define PEBS_COUNTERS   18
#define PEBS_ADDRESS    19
#define PEBS_SOURCE     20
#define PEBS_LATENCY    21
#define PEBS_EVENTING   22
#define PEBS_TSC        24
#define PEBS_WORDS      25
#define PEBS_IP         1 /* basic group, behind a word of its groups and size */
#define PEBS_APPLICABLE 2
#define PEBS_TIME       3
#define PEBS_BASIC      4
#define PEBS_MEM_WORDS  4  /* address, source, latency, TSX */
#define PEBS_GPR_WORDS  18 /* RFLAGS, RIP, RAX, RCX, RDX, RBX, RSP, RBP, … */
#define PEBS_GPR_RSP    6
#define PEBS_GPR_RBP    7

/* MSR_PEBS_DATA_CFG */
#define PEBS_DATA_MEM  (1ULL << 0)
#define PEBS_DATA_GPRS (1ULL << 1)

#endif
