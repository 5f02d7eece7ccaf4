/* SPDX-License-Identifier: MIT */
/*
 * Registers of Arm's Branch Record Buffer Extension (FEAT_BRBE): Arm Architecture Reference Manual
 * DDI 0487, chapters D18 "Branch Record Buffer Extension" and D19 "AArch64 System Register
 * Descriptions". Constants only, as in pmuv3.h.
 */
#ifndef ARCH_AARCH64_PMU_BRBE_H
#define ARCH_AARCH64_PMU_BRBE_H

#include "arch/aarch64/pmu/pmuv3.h"

#define ID_AA64DFR0_BRBE 52 /* shift; 4 bits: 0, none; 1, FEAT_BRBE; 2, FEAT_BRBEv1p1 */

#define BRBCR_EL1   ARM_SYSREG(2, 1, 9, 0, 0)
#define BRBFCR_EL1  ARM_SYSREG(2, 1, 9, 0, 1)
#define BRBIDR0_EL1 ARM_SYSREG(2, 1, 9, 2, 0)
#define BRBCR_EL2   ARM_SYSREG(2, 4, 9, 0, 0)
#define BRB_IALL    ARM_SYSREG(1, 1, 7, 2, 4) /* an instruction: any value clears all records */

/* Record n of the bank that BRBFCR_EL1.BANK selects, 0 to 31; record 0 of bank 0 is the newest. */
#define BRBE_BANK_SIZE 32U
#define BRBINF_EL1(n)  ARM_SYSREG(2, 1, 8, (n)&15, (n) >> 4 << 2)
#define BRBSRC_EL1(n)  ARM_SYSREG(2, 1, 8, (n)&15, (n) >> 4 << 2 | 1)
#define BRBTGT_EL1(n)  ARM_SYSREG(2, 1, 8, (n)&15, (n) >> 4 << 2 | 2)

/* BRBIDR0_EL1 */
#define BRBIDR0_NUMREC    0xffU
#define BRBIDR0_FORMAT    0xf00U /* 0 is the only one */
#define BRBIDR0_CC        0xf000U
#define BRBIDR0_CC_20_BIT 0x5000U

/* BRBCR_EL1, BRBCR_EL2 */
#define BRBCR_E0BRE      (1U << 0) /* record at EL0 */
#define BRBCR_ExBRE      (1U << 1) /* record at EL1; in BRBCR_EL2 at EL2 */
#define BRBCR_CC         (1U << 3) /* cycle counts; in both registers, like MPRED */
#define BRBCR_MPRED      (1U << 4)
#define BRBCR_TS_VIRTUAL (1U << 5)
/* Pause at a counter's overflow: counters below MDCR_EL2.HPMN; in BRBCR_EL2 the others. */
#define BRBCR_FZP        (1U << 8)
#define BRBCR_ERTN       (1U << 22) /* record exception returns from this level */
#define BRBCR_EXCEPTION  (1U << 23) /* record exceptions to it */

/* BRBFCR_EL1 */
#define BRBFCR_PAUSED   (1U << 7)
#define BRBFCR_DIRECT   (1U << 17)
#define BRBFCR_INDIRECT (1U << 18)
#define BRBFCR_RTN      (1U << 19)
#define BRBFCR_INDCALL  (1U << 20)
#define BRBFCR_DIRCALL  (1U << 21)
#define BRBFCR_CONDDIR  (1U << 22)
#define BRBFCR_BANK(n)  ((n) << 28) /* 0 or 1 */

/* BRBINF<n>_EL1 */
#define BRBINF_TARGET (1U << 0) /* the target and its level are valid */
#define BRBINF_SOURCE (1U << 1) /* the source is valid */
#define BRBINF_MPRED  (1U << 5)
#define BRBINF_EL     6            /* shift; 2 bits: the target's level */
#define BRBINF_TYPE   8            /* shift; 6 bits */
#define BRBINF_CC     32           /* shift; 8 bits of mantissa, 6 of exponent above them */
#define BRBINF_CCU    (1ULL << 46) /* the cycle count is unknown */

/* Its TYPE */
#define BRBINF_DIRECT        0x00U
#define BRBINF_INDIRECT      0x01U
#define BRBINF_DIRECT_LINK   0x02U
#define BRBINF_INDIRECT_LINK 0x03U
#define BRBINF_RET           0x05U
#define BRBINF_ERET          0x07U
#define BRBINF_COND          0x08U
#define BRBINF_CALL          0x22U /* SVC, HVC, SMC */
#define BRBINF_TRAP          0x23U
#define BRBINF_SERROR        0x24U
#define BRBINF_INSN_DEBUG    0x26U
#define BRBINF_DATA_DEBUG    0x27U
#define BRBINF_ALIGN_FAULT   0x2aU
#define BRBINF_INSN_FAULT    0x2bU
#define BRBINF_DATA_FAULT    0x2cU
#define BRBINF_IRQ           0x2eU
#define BRBINF_FIQ           0x2fU

#endif
