/* SPDX-License-Identifier: MIT */
/*
 * System registers: accessors and the fields that are used, named as in the Arm Architecture
 * Reference Manual (DDI 0487, chapter D17 "AArch64 System Register Descriptions"). Constants
 * only, so that assembly can include it too.
 */
#ifndef ARCH_AARCH64_SYSREG_H
#define ARCH_AARCH64_SYSREG_H

/* CurrentEL, bits [3:2] */
#define CURRENT_EL_SHIFT 2

/* SCTLR_EL1, SCTLR_EL2: D17.2.118, D17.2.119 */
#define SCTLR_M        (1UL << 0)
#define SCTLR_C        (1UL << 2)
#define SCTLR_SA       (1UL << 3)
#define SCTLR_I        (1UL << 12)
#define SCTLR_WXN      (1UL << 19)
#define SCTLR_EL2_RES1 0x30c50830UL /* value with HCR_EL2.E2H = 0 */
/* nTWI, nTWE, SPAN and the bits that were RES1 in Armv8.0 */
#define SCTLR_EL1_RES1 0x30d50980UL

/* TCR_EL1, TCR_EL2 (E2H = 0): D17.2.139, D17.2.140 */
#define TCR_T0SZ_48    16UL
#define TCR_IRGN0_WBWA (1UL << 8)
#define TCR_ORGN0_WBWA (1UL << 10)
#define TCR_SH0_INNER  (3UL << 12)
#define TCR_EL1_EPD1   (1UL << 23)
#define TCR_EL1_IPS    32
#define TCR_EL2_PS     16
#define TCR_EL2_RES1   ((1UL << 31) | (1UL << 23))
#define PARANGE_MASK   0xfUL /* ID_AA64MMFR0_EL1.PARange */
#define PARANGE_48     5UL

/* HCR_EL2: D17.2.48 */
#define HCR_FMO (1UL << 3)
#define HCR_IMO (1UL << 4)
#define HCR_AMO (1UL << 5)
#define HCR_RW  (1UL << 31)
#define HCR_E2H (1UL << 34)
#define HCR_APK (1UL << 40)
#define HCR_API (1UL << 41)

/* CPTR_EL2 (E2H = 0): RES1 bits and TZ (SVE traps), FP and SIMD allowed. CPACR_EL1.FPEN, ZEN */
#define CPTR_EL2_VALUE   0x33ffUL
#define CPTR_EL2_TZ      (1UL << 8)
#define CPACR_EL1_FPEN   (3UL << 20)
#define CPACR_EL1_ZEN    (3UL << 16)
/* ID_AA64PFR0_EL1.SVE; ZCR_ELx.LEN and the bits above it that must be 1 for the longest vectors:
 * D17.2.77, D17.2.158 */
#define PFR0_SVE_SHIFT   32
#define ZCR_LONGEST      0x1ffUL
/* CNTHCTL_EL2 (E2H = 0): EL1 may read the physical counter and use its timer */
#define CNTHCTL_EL1PCTEN (1UL << 0)
#define CNTHCTL_EL1PCEN  (1UL << 1)
/* CNTx_CTL */
#define CNT_CTL_ENABLE   (1UL << 0)

/* PSTATE, SPSR: C5.2.18 */
#define PSTATE_M_MASK    0x1fUL
#define PSTATE_M_AARCH32 0x10UL
#define PSTATE_EL1T      0x04UL
#define PSTATE_EL1H      0x05UL
#define PSTATE_EL2T      0x08UL
#define PSTATE_F         (1UL << 6)
#define PSTATE_DAIF      (0xfUL << 6)
#define PSTATE_D         (1UL << 9)
#define PSTATE_SS        (1UL << 21)
#define PSTATE_NZCV      (0xfUL << 28)

/* ESR_ELx: D17.2.37 */
#define ESR_EC_SHIFT         26
#define ESR_EC_MASK          0x3fUL
#define ESR_EC_UNKNOWN       0x00UL
#define ESR_EC_ILLEGAL       0x0eUL
#define ESR_EC_HVC64         0x16UL
#define ESR_EC_SYSREG        0x18UL
#define ESR_EC_IABT_LOWER    0x20UL
#define ESR_EC_IABT          0x21UL
#define ESR_EC_PC_ALIGN      0x22UL
#define ESR_EC_DABT_LOWER    0x24UL
#define ESR_EC_DABT          0x25UL
#define ESR_EC_SP_ALIGN      0x26UL
#define ESR_EC_FP            0x2cUL
#define ESR_EC_SERROR        0x2fUL
#define ESR_EC_BREAKPT_LOWER 0x30UL
#define ESR_EC_BREAKPT       0x31UL
#define ESR_EC_STEP_LOWER    0x32UL
#define ESR_EC_STEP          0x33UL
#define ESR_EC_BRK64         0x3cUL
#define ESR_HVC_IMM_MASK     0xffffUL
#define ESR_ABT_FSC_MASK     0x3fUL
#define ESR_DABT_WNR         (1UL << 6)

/* MDSCR_EL1, MDCR_EL2, OSLSR_EL1, DBGBCR<n>_EL1: D17.3 "Debug registers" */
#define MDSCR_SS        (1UL << 0)
#define MDSCR_KDE       (1UL << 13)
#define MDSCR_MDE       (1UL << 15)
#define MDCR_TDE        (1UL << 8)
#define OSLSR_OSLK      (1UL << 1)
#define DFR0_BRPS_SHIFT 12 /* ID_AA64DFR0_EL1.BRPs: breakpoints - 1 */
/* An unlinked address match in EL0 and EL1 (HMC 0, PMC 3) on all four bytes (BAS), enabled */
#define DBGBCR_CODE     (0xfUL << 5 | 3UL << 1 | 1UL)

/* MPIDR_EL1's affinity fields: Aff3, Aff2, Aff1, Aff0 */
#define MPIDR_AFFINITY 0xff00ffffffUL
#define MPIDR_MT       (1UL << 24)

#ifndef __ASSEMBLER__
#include <stdint.h>

#define read_sysreg(name)                                                   \
	({                                                                  \
		uint64_t value_;                                            \
		asm volatile("mrs %0, " #name : "=r"(value_) : : "memory"); \
		value_;                                                     \
	})
#define write_sysreg(name, value) \
	asm volatile("msr " #name ", %0" : : "r"((uint64_t)(value)) : "memory")

static inline void isb(void)
{
	asm volatile("isb" : : : "memory");
}

/* The exception level that bareperf runs at: 1 or 2. */
static inline unsigned current_el(void)
{
	return (unsigned)(read_sysreg(CurrentEL) >> CURRENT_EL_SHIFT) & 3;
}

/* Whether this CPU has SVE. Registers by encoding, because assemblers know the names only with SVE:
 * ZCR_EL1 is S3_0_C1_C2_0, ZCR_EL2 is S3_4_C1_C2_0. */
static inline int has_sve(void)
{
	return (read_sysreg(id_aa64pfr0_el1) >> PFR0_SVE_SHIFT & 0xf) != 0;
}
#endif

#endif
