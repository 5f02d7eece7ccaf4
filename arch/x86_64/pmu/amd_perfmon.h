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
#define CPUID_EXTENDED_PERFMON_COUNTERS 0         /* EBX, 4 bits */

#define PERF_LEGACY_CTL0     0xc0010000U
#define PERF_LEGACY_CTR0     0xc0010004U
#define PERF_LEGACY_COUNTERS 4U

#define PERF_CTL0     0xc0010200U /* every second MSR from here on is a PERF_CTL */
#define PERF_CTR0     0xc0010201U
#define PERF_COUNTERS 6U /* more only if CPUID reports their number */

#define PERF_CNTR_GLOBAL_STATUS     0xc0000300U
#define PERF_CNTR_GLOBAL_CTL        0xc0000301U
#define PERF_CNTR_GLOBAL_STATUS_CLR 0xc0000302U

#define PERF_CTR_WIDTH 48U

/* The bits that a user may set: the event's 12 bits, UnitMask, Edge, Inv, CntMask. */
#define PERF_CTL_EVENT 0x0fff84ffffULL

#endif
