/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Arm Statistical Profiling Extension (FEAT_SPE) for TCG.
 *
 * The references are to the Arm ARM (DDI 0487), chapter D17 "The Statistical
 * Profiling Extension" (D13 in editions before J.a), chapter D18 for the
 * records, and D19 for the registers.
 */
#ifndef TARGET_ARM_SPE_H
#define TARGET_ARM_SPE_H

#if defined(CONFIG_TCG) && defined(TARGET_AARCH64) && !defined(CONFIG_USER_ONLY)
#define ARM_SPE_MODEL
#endif

/* A sample record's largest size, and the buffer's alignment: log2 */
#define SPE_ALIGN          6
#define SPE_RECORD_SIZE    (1 << SPE_ALIGN)
#define SPE_MAX_DELAY      8

#define PMSCR_E0           (1ULL << 0)  /* E0SPE, E0HSPE */
#define PMSCR_E1           (1ULL << 1)  /* E1SPE, E2SPE */
#define PMSCR_CX           (1ULL << 3)
#define PMSCR_PA           (1ULL << 4)
#define PMSCR_TS           (1ULL << 5)
#define PMSCR_PCT_SHIFT    6
#define PMSCR_PCT_PHYS     1
#define PMSFCR_FE          (1ULL << 0)
#define PMSFCR_FT          (1ULL << 1)
#define PMSFCR_FL          (1ULL << 2)
#define PMSFCR_FNE         (1ULL << 3)
#define PMSFCR_B           (1ULL << 16)
#define PMSFCR_LD          (1ULL << 17)
#define PMSFCR_ST          (1ULL << 18)
#define PMSIRR_RND         (1ULL << 0)
#define PMBLIMITR_E        (1ULL << 0)
#define PMBLIMITR_FM_SHIFT 1
#define PMBLIMITR_FM_DISCARD 2
#define PMBSR_COLL         (1ULL << 16)
#define PMBSR_S            (1ULL << 17)
#define PMBSR_EA           (1ULL << 18)
#define PMBSR_DL           (1ULL << 19)
#define PMBSR_MSS          0xffffULL
#define PMBSR_BSC_FULL     1
#define PMBSR_EC(x)        ((uint64_t)(x) << 26)
#define PMBSR_EC_STAGE1    0x24
#define PMBSR_EC_STAGE2    0x25

/* Properties of the CPU; faults may be set at run time */
typedef struct ARMSPEConfig {
    uint32_t version;       /* ID_AA64DFR0_EL1.PMSVer, 0: none */
    uint32_t delay;         /* records that wait for PSB CSYNC */
    uint32_t collide;       /* each so many-th sample collides */
    uint32_t fault_after;   /* the so many-th record from now faults ... */
    uint32_t fault_syndrome;/* ... setting this in PMBSR_EL1 ... */
    uint32_t fault_partial; /* ... so many bytes of it written */
    bool leftovers;         /* registers at reset as if firmware used them */
} ARMSPEConfig;

/* Part of CPUARMState; cleared by a reset */
typedef struct ARMSPEState {
    uint64_t pmscr[3];      /* by EL */
    uint64_t pmsicr, pmsirr, pmsfcr, pmsevfr, pmsnevfr, pmslatfr;
    uint64_t pmblimitr, pmbptr, pmbsr;

    uint64_t seen;          /* env->insns.total that PMSICR includes */
    uint64_t samples;
    uint32_t random;
    uint8_t spurious;       /* an interrupt without a cause: 1 up, 2 taken */

    /* The sample that is being taken */
    bool sampling;
    uint32_t insn;
    uint64_t pc, va;
    uint8_t el, load, store;

    /* Records that are not in memory yet */
    uint32_t delayed;
    uint8_t record[SPE_MAX_DELAY][SPE_RECORD_SIZE];
} ARMSPEState;

#endif
