/* SPDX-License-Identifier: MIT */
/*
 * AMD's core performance counters: APM (24593) volume 2, chapter 13.2 and appendix A; CPUID of
 * volume 3, appendix E. The fields of PERF_CTL that perfmon.h names for PERFEVTSEL are the same.
 * Constants only; they compile anywhere.
 */
#ifndef ARCH_X86_64_PMU_AMD_PERFMON_H
#define ARCH_X86_64_PMU_AMD_PERFMON_H

#define CPUID_EXTENDED_FEATURES         0x80000001U
#define CPUID_EXTENDED_PERF_CTR_CORE    (1U << 23) /* ECX: six counters at PERF_CTL0 */
#define CPUID_EXTENDED_PERFMON          0x80000022U
#define CPUID_EXTENDED_PERFMON_V2       (1U << 0) /* EAX: the global registers are there */
#define CPUID_EXTENDED_PERFMON_LBR      (1U << 1) /* LbrExtV2: branch records at SAMP_BR_FROM */
#define CPUID_EXTENDED_PERFMON_FREEZE   (1U << 2) /* LbrAndPmcFreeze: DEBUGCTL freezes them */
#define CPUID_EXTENDED_PERFMON_COUNTERS 0         /* EBX, 4 bits */
#define CPUID_EXTENDED_PERFMON_LBRS     4         /* EBX, 6 bits: branch records */
#define CPUID_EXTENDED_SIZES            0x80000008U
#define CPUID_EXTENDED_LINEAR           8          /* EAX, 8 bits: bits of a linear address */
#define CPUID_EXTENDED_BRS              (1U << 31) /* EBX: branch sampling of Zen 3 */

#define PERF_LEGACY_CTL0     0xc0010000U
#define PERF_LEGACY_CTR0     0xc0010004U
#define PERF_LEGACY_COUNTERS 4U

#define PERF_CTL0     0xc0010200U /* every second MSR from here on is a PERF_CTL */
#define PERF_CTR0     0xc0010201U
#define PERF_COUNTERS 6U /* more only if CPUID reports their number */

#define PERF_CNTR_GLOBAL_STATUS     0xc0000300U
#define PERF_CNTR_GLOBAL_CTL        0xc0000301U
#define PERF_CNTR_GLOBAL_STATUS_CLR 0xc0000302U

/* Branch records. A record is a pair of MSRs; record 0 is the newest. The bits of AMD_LBR_SELECT
 * are those that lbr.h names for MSR_LBR_SELECT, without EN_CALLSTACK. */
#define AMD_LBR_SELECT       0xc000010eU
#define DBG_EXTN_CFG         0xc000010fU
#define DBG_EXTN_CFG_LBRV2EN (1ULL << 6) /* the other bits are reserved */
#define SAMP_BR_FROM         0xc0010300U /* every second MSR from here on; bit 63: mispredicted */
#define SAMP_BR_TO           0xc0010301U
#define SAMP_BR_TO_ERRONEOUS (1ULL << 61) /* reserved; set in records that no branch made */
#define SAMP_BR_TO_SPEC      62           /* 2 bits, as in PERF_BRANCH_SPEC: SPEC and VALID */

#define PERF_CTR_WIDTH 48U

/* The bits that a user may set: the event's 12 bits, UnitMask, Edge, Inv, CntMask. */
#define PERF_CTL_EVENT 0x0fff84ffffULL

#endif
