/* SPDX-License-Identifier: MIT */
/*
 * Intel's performance monitor: MSRs of SDM volume 4, table 2-2, fields of volume 3B, chapter
 * 20. Constants only; they compile anywhere, so that drivers run against fake registers.
 */
#ifndef ARCH_X86_64_PMU_PERFMON_H
#define ARCH_X86_64_PMU_PERFMON_H

/* CPUID for arch_reg_read(): words 0 to 3 are EAX to EDX of leaf 0 to 3FH, subleaf 0, or of the
 * leaves from 40000000H (hypervisors) or from 80000000H. No CPU has MSRs with these numbers: SDM
 * volume 4, 2.1 reserves those from 40000000H for software. */
#define CPUID_WORDS            0x4ffff000U
#define CPUID_WORD(leaf, word) (CPUID_WORDS | (leaf) >> 30 << 8 | ((leaf)&0x3f) << 2 | (word))
#define CPUID_EAX              0U
#define CPUID_EBX              1U
#define CPUID_ECX              2U
#define CPUID_EDX              3U

/* RDPMC's operand (SDM volume 2): a general counter's number, or a fixed counter's with bit 30.
 * RDPMC_VALUE() is that counter's value as a number for arch_reg_read(). */
#define RDPMC_FIXED           (1U << 30)
#define RDPMC_VALUES          0x4fffe000U
#define RDPMC_VALUE(selector) (RDPMC_VALUES | (selector) >> 30 << 8 | ((selector)&0xff))
#define RDPMC_SELECTOR(value) (((value) >> 8 & 1) << 30 | ((value)&0xff))

#define CPUID_VENDOR_GENU 0x756e6547U /* EBX of leaf 0: "Genu", "Auth" */
#define CPUID_VENDOR_AUTH 0x68747541U

#define CPUID_FEATURES            0x01U
#define CPUID_FEATURES_DTES64     (1U << 2)  /* ECX: the debug store has 64-bit records */
#define CPUID_FEATURES_DS_CPL     (1U << 4)  /* ECX: its branches can be chosen by ring */
#define CPUID_FEATURES_PDCM       (1U << 15) /* ECX: IA32_PERF_CAPABILITIES is there */
#define CPUID_FEATURES_DS         (1U << 21) /* EDX: the debug store is there */
#define CPUID_FEATURES_HYPERVISOR (1U << 31) /* ECX: software, AMD's volume 3, E.3.2 */

#define CPUID_POWER       0x06U
#define CPUID_POWER_APERF (1U << 0) /* ECX: IA32_MPERF and IA32_APERF are there */

#define CPUID_STRUCTURED        0x07U
#define CPUID_STRUCTURED_HYBRID (1U << 15) /* EDX: this machine has CPUs of several types */
#define CPUID_CORE              0x1aU
#define CPUID_CORE_TYPE         24 /* EAX, 8 bits */
#define CPUID_CORE_TYPE_ATOM    0x20U
#define CPUID_CORE_TYPE_CORE    0x40U

/* Leaf 0AH: volume 2A, CPUID; volume 3B, 20.2 */
#define CPUID_PERFMON             0x0aU
#define CPUID_PERFMON_VERSION     0          /* EAX, 8 bits */
#define CPUID_PERFMON_COUNTERS    8          /* EAX, 8 bits */
#define CPUID_PERFMON_WIDTH       16         /* EAX, 8 bits */
#define CPUID_PERFMON_EVENTS      24         /* EAX, 8 bits: the number of valid bits in EBX */
#define CPUID_PERFMON_FIXED       0          /* EDX, 5 bits */
#define CPUID_PERFMON_FIXED_WIDTH 5          /* EDX, 8 bits */
#define CPUID_PERFMON_ANY_GONE    (1U << 15) /* EDX: PERFEVTSEL's ANY is reserved */

#define MSR_SMI_COUNT             0x034 /* bits 31:0, since Nehalem and Silvermont */
#define IA32_PMC0                 0x0c1
#define IA32_PERFEVTSEL0          0x186
#define IA32_MISC_ENABLE          0x1a0
#define IA32_DEBUGCTL             0x1d9
#define IA32_FIXED_CTR0           0x309
#define IA32_PERF_CAPABILITIES    0x345
#define IA32_FIXED_CTR_CTRL       0x38d
#define IA32_PERF_GLOBAL_STATUS   0x38e
#define IA32_PERF_GLOBAL_CTRL     0x38f
#define IA32_PERF_GLOBAL_OVF_CTRL 0x390 /* version 4: IA32_PERF_GLOBAL_STATUS_RESET */
#define IA32_PEBS_ENABLE          0x3f1
#define IA32_A_PMC0               0x4c1 /* full-width writes, 20.2.8 */
#define IA32_DS_AREA              0x600

#define MISC_ENABLE_BTS_UNAVAILABLE  (1ULL << 11)
#define MISC_ENABLE_PEBS_UNAVAILABLE (1ULL << 12)

/* IA32_DEBUGCTL, 17.4.1; volume 4 */
#define DEBUGCTL_LBR                   (1ULL << 0)
#define DEBUGCTL_TR                    (1ULL << 6)
#define DEBUGCTL_BTS                   (1ULL << 7)
#define DEBUGCTL_BTINT                 (1ULL << 8)
#define DEBUGCTL_BTS_OFF_OS            (1ULL << 9)
#define DEBUGCTL_BTS_OFF_USR           (1ULL << 10)
#define DEBUGCTL_FREEZE_LBRS_ON_PMI    (1ULL << 11)
#define DEBUGCTL_FREEZE_PERFMON_ON_PMI (1ULL << 12)

#define DEBUGCTL_FREEZE_WHILE_SMM (1ULL << 14)

#define PERF_CAPABILITIES_FREEZE   (1U << 12) /* the bit above is there */
#define PERF_CAPABILITIES_FW_WRITE (1U << 13)

/* IA32_PERFEVTSELx, 20.2.1.1 */
#define PERFEVTSEL_USR          (1ULL << 16)
#define PERFEVTSEL_OS           (1ULL << 17)
#define PERFEVTSEL_INT          (1ULL << 20)
#define PERFEVTSEL_EN           (1ULL << 22)
#define PERFEVTSEL_ANY          (1ULL << 21)
#define PERFEVTSEL_INV          (1ULL << 23)
#define PERFEVTSEL_CMASK        24 /* 8 bits */
#define PERFEVTSEL_EVENT_SELECT 0xffULL
#define PERFEVTSEL_UMASK        0xff00ULL
/* The bits that a user may set: event, umask, E, ANY, INV, CMASK */
#define PERFEVTSEL_EVENT        0xffa4ffffULL

/* IA32_FIXED_CTR_CTRL: four bits a counter, 20.2.2 */
#define FIXED_CTR_CTRL_OS  1ULL
#define FIXED_CTR_CTRL_USR 2ULL
#define FIXED_CTR_CTRL_PMI 8ULL

/* Fixed counters have bits 32 and up in the global registers. */
#define GLOBAL_FIXED 32

/* IA32_PERF_GLOBAL_STATUS, 20.2.4: counters are frozen; written to the register that resets it */
#define GLOBAL_STATUS_CTR_FRZ (1ULL << 59)

#endif
