/* SPDX-License-Identifier: MIT */
/*
 * Last branch records: SDM volume 3B, 17.4.8 and 17.9 to 17.14 (by model), chapter 18
 * (architectural); volume 4. Constants only; they compile anywhere.
 */
#ifndef ARCH_X86_64_PMU_LBR_H
#define ARCH_X86_64_PMU_LBR_H

/* IA32_PERF_CAPABILITIES.LBR_FMT, 17.4.8.1: the form of a record. Earlier formats have no flags. */
#define PERF_CAPABILITIES_LBR_FMT 0x3fU
#define LBR_FMT_EIP_FLAGS         3U /* FROM's bit 63 is MISPRED */
#define LBR_FMT_EIP_FLAGS2        4U /* and bits 62 and 61 are IN_TSX and TSX_ABORT */
#define LBR_FMT_INFO              5U /* flags and cycles are in MSR_LBR_INFO_x */
#define LBR_FMT_TIME              6U /* FROM as format 3; TO's bits 63 to 48 are cycles */
#define LBR_FMT_INFO2             7U /* as format 5 */

#define LBR_FROM_MISPRED (1ULL << 63)
#define LBR_FROM_IN_TSX  (1ULL << 62)
#define LBR_FROM_ABORT   (1ULL << 61)

/* MSR_LBR_INFO_x and IA32_LBR_x_INFO */
#define LBR_INFO_MISPRED      (1ULL << 63)
#define LBR_INFO_IN_TSX       (1ULL << 62)
#define LBR_INFO_ABORT        (1ULL << 61)
#define LBR_INFO_CYCLES_VALID (1ULL << 60) /* architectural */
#define LBR_INFO_TYPE         56           /* 4 bits, architectural */
#define LBR_INFO_CYCLES       0xffffULL

/* By model. The number of records is found by trying; the newest is at MSR_LASTBRANCH_TOS. */
#define MSR_LBR_SELECT           0x1c8U
#define MSR_LASTBRANCH_TOS       0x1c9U
#define MSR_LASTBRANCH_0_FROM_IP 0x680U
#define MSR_LASTBRANCH_0_TO_IP   0x6c0U
#define MSR_LBR_INFO_0           0xdc0U

/* MSR_LBR_SELECT: each of these bits suppresses branches; EN_CALLSTACK since Haswell. */
#define LBR_SELECT_CPL_EQ_0      (1U << 0)
#define LBR_SELECT_CPL_NEQ_0     (1U << 1)
#define LBR_SELECT_JCC           (1U << 2)
#define LBR_SELECT_NEAR_REL_CALL (1U << 3)
#define LBR_SELECT_NEAR_IND_CALL (1U << 4)
#define LBR_SELECT_NEAR_RET      (1U << 5)
#define LBR_SELECT_NEAR_IND_JMP  (1U << 6)
#define LBR_SELECT_NEAR_REL_JMP  (1U << 7)
#define LBR_SELECT_FAR_BRANCH    (1U << 8)
#define LBR_SELECT_EN_CALLSTACK  (1U << 9)

/* Architectural: the newest record is number 0. */
#define CPUID_STRUCTURED_ARCH_LBR (1U << 19) /* leaf 7, EDX */
#define CPUID_LBR                 0x1cU
#define CPUID_LBR_DEPTHS          0xffU     /* EAX: bit n: 8 * (n + 1) records */
#define CPUID_LBR_CPL             (1U << 0) /* EBX: branches can be chosen by ring, */
#define CPUID_LBR_FILTERS         (1U << 1) /* by kind, */
#define CPUID_LBR_CALL_STACK      (1U << 2) /* and as a call stack */
#define CPUID_LBR_MISPRED         (1U << 0) /* ECX: INFO has MISPRED, */
#define CPUID_LBR_CYCLES          (1U << 1) /* CYC_CNT, */
#define CPUID_LBR_TYPE            (1U << 2) /* BR_TYPE */

#define IA32_LBR_0_INFO    0x1200U
#define IA32_LBR_CTL       0x14ceU
#define IA32_LBR_DEPTH     0x14cfU
#define IA32_LBR_0_FROM_IP 0x1500U
#define IA32_LBR_0_TO_IP   0x1600U

/* IA32_LBR_CTL: each of these bits lets branches in. */
#define LBR_CTL_EN            (1U << 0)
#define LBR_CTL_OS            (1U << 1)
#define LBR_CTL_USR           (1U << 2)
#define LBR_CTL_CALL_STACK    (1U << 3)
#define LBR_CTL_JCC           (1U << 16)
#define LBR_CTL_NEAR_REL_JMP  (1U << 17)
#define LBR_CTL_NEAR_IND_JMP  (1U << 18)
#define LBR_CTL_NEAR_REL_CALL (1U << 19)
#define LBR_CTL_NEAR_IND_CALL (1U << 20)
#define LBR_CTL_NEAR_RET      (1U << 21)
#define LBR_CTL_OTHER_BRANCH  (1U << 22)

#endif
