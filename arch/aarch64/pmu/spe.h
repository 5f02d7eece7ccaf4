/* SPDX-License-Identifier: MIT */
/*
 * Registers of Arm's Statistical Profiling Extension (FEAT_SPE): Arm Architecture Reference Manual
 * DDI 0487, chapters D17 "The Statistical Profiling Extension" and D19 "AArch64 System Register
 * Descriptions". Constants only, as in pmuv3.h.
 */
#ifndef ARCH_AARCH64_PMU_SPE_H
#define ARCH_AARCH64_PMU_SPE_H

#include "arch/aarch64/pmu/pmuv3.h"

#define CURRENT_EL      ARM_SYSREG(3, 0, 4, 2, 2)
#define CONTEXTIDR_EL1  ARM_SYSREG(3, 0, 13, 0, 1)
#define ID_AA64PFR0_EL1 ARM_SYSREG(3, 0, 0, 4, 0)
#define ID_AA64PFR0_EL2 8  /* shift; 4 bits: 0, there is no EL2 */
#define ID_AA64PFR0_EL3 12 /* shift; 4 bits */
#define PMSCR_EL1       ARM_SYSREG(3, 0, 9, 9, 0)
#define PMSNEVFR_EL1    ARM_SYSREG(3, 0, 9, 9, 1)
#define PMSICR_EL1      ARM_SYSREG(3, 0, 9, 9, 2)
#define PMSIRR_EL1      ARM_SYSREG(3, 0, 9, 9, 3)
#define PMSFCR_EL1      ARM_SYSREG(3, 0, 9, 9, 4)
#define PMSEVFR_EL1     ARM_SYSREG(3, 0, 9, 9, 5)
#define PMSLATFR_EL1    ARM_SYSREG(3, 0, 9, 9, 6)
#define PMSIDR_EL1      ARM_SYSREG(3, 0, 9, 9, 7)
#define PMBLIMITR_EL1   ARM_SYSREG(3, 0, 9, 10, 0)
#define PMBPTR_EL1      ARM_SYSREG(3, 0, 9, 10, 1)
#define PMBSR_EL1       ARM_SYSREG(3, 0, 9, 10, 3)
#define PMSDSFR_EL1     ARM_SYSREG(3, 0, 9, 10, 4)
#define PMBIDR_EL1      ARM_SYSREG(3, 0, 9, 10, 7)
#define PMSCR_EL2       ARM_SYSREG(3, 4, 9, 9, 0)

#define ID_AA64DFR0_PMSVER 32 /* shift; 4 bits */
#define PMSVER_V1P1        2U
#define PMSVER_V1P2        3U
#define PMSVER_V1P4        5U

/* PMSCR_EL1, PMSCR_EL2: D19.7 */
#define PMSCR_E0SPE (1U << 0) /* sample at EL0 */
#define PMSCR_ExSPE (1U << 1) /* sample at EL1; in PMSCR_EL2 at EL2 */
#define PMSCR_CX    (1U << 3)
#define PMSCR_PA    (1U << 4)
#define PMSCR_TS    (1U << 5)
#define PMSCR_PCT   6 /* shift; 2 bits */
#define PCT_VIRT    0U
#define PCT_PHYS    1U

/* PMSFCR_EL1 */
#define PMSFCR_FE    (1U << 0)
#define PMSFCR_FT    (1U << 1)
#define PMSFCR_FL    (1U << 2)
#define PMSFCR_FNE   (1U << 3)
#define PMSFCR_FDS   (1U << 4)
#define PMSFCR_B     (1U << 16)
#define PMSFCR_LD    (1U << 17)
#define PMSFCR_ST    (1U << 18)
#define PMSFCR_FP    (1U << 19) /* this and all below: FEAT_SPE_EFT */
#define PMSFCR_SIMD  (1U << 20)
#define PMSFCR_Bm    (1ULL << 48) /* B must equal the operation's; 0: one of the filters suffices */
#define PMSFCR_LDm   (1ULL << 49)
#define PMSFCR_STm   (1ULL << 50)
#define PMSFCR_FPm   (1ULL << 51)
#define PMSFCR_SIMDm (1ULL << 52)

/* PMSEVFR_EL1: the events that each version can filter by; other bits are RES0 */
#define PMSEVFR_V1P0 0xffff0000ff00f0aaULL /* 1, 3, 5, 7 and the implementation's own */
#define PMSEVFR_V1P1 0x0000000000060800ULL /* 11, 17, 18 more */
#define PMSEVFR_V1P2 0x0000000000000040ULL /* 6 */
#define PMSEVFR_V1P4 0x0000000000f80714ULL /* 2, 4, 8 to 10, 19 to 23 */

#define PMSIRR_RND      (1U << 0)
#define PMSIRR_INTERVAL 0xffffff00U

#define PMSIDR_FE       (1U << 0)
#define PMSIDR_FT       (1U << 1)
#define PMSIDR_FL       (1U << 2)
#define PMSIDR_FNE      (1U << 6)
#define PMSIDR_FDS      (1U << 7)
#define PMSIDR_INTERVAL 8  /* shift; 4 bits */
#define PMSIDR_MAXSIZE  12 /* shift; 4 bits: log2 of a record's largest size */
#define PMSIDR_EFT      (1U << 26)

#define PMBIDR_ALIGN 0xfU      /* log2 */
#define PMBIDR_P     (1U << 4) /* a higher level or another world owns the buffer */

#define PMBLIMITR_E       (1U << 0)
#define PMBLIMITR_DISCARD (2U << 1) /* FM; SPEv1p2 */
#define PMBLIMITR_PAGE    4096U     /* the unit of LIMIT */

#define PMBSR_COLL       (1U << 16)
#define PMBSR_S          (1U << 17)
#define PMBSR_EA         (1U << 18)
#define PMBSR_DL         (1U << 19)
#define PMBSR_EC         26 /* shift; 6 bits */
#define PMBSR_EC_MASK    0x3fU
#define PMBSR_EC_BUFFER  0U
#define PMBSR_BSC        0x3fU /* the status code in MSS, with EC_BUFFER */
#define PMBSR_BSC_FILLED 1U

#endif
