/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * TCG model of Intel's architectural performance monitoring: state and hooks.
 *
 * SDM is the Intel 64 and IA-32 Architectures Software Developer's Manual,
 * volume 3B; sections are named by their titles, since numbers move between
 * editions ("Performance Monitoring" is chapter 20 of the 2023 ones).
 */
#ifndef TARGET_I386_PMU_H
#define TARGET_I386_PMU_H

#define X86_PMU_MAX_GP     8
#define X86_PMU_MAX_FIXED  4
#define X86_LBR_MAX        32

/*
 * Kinds of branches.  Those that are taken have the number of the bit in
 * MSR_LBR_SELECT that filters them out (SDM, "LBR Stack").
 */
typedef enum X86Branch {
    X86_BRANCH_NOT_TAKEN = 0,
    X86_BRANCH_JCC = 2,
    X86_BRANCH_REL_CALL = 3,
    X86_BRANCH_IND_CALL = 4,
    X86_BRANCH_RET = 5,
    X86_BRANCH_IND_JMP = 6,
    X86_BRANCH_REL_JMP = 7,
    X86_BRANCH_FAR = 8,
    X86_BRANCH_KINDS,
} X86Branch;

/* The shape of the model, and its faults: properties of the CPU. */
typedef struct X86PMUConfig {
    uint32_t version;       /* CPUID.0AH:EAX[7:0] */
    uint32_t gp;            /* general-purpose counters */
    uint32_t fixed;         /* fixed-function counters */
    uint32_t lbr;           /* entries of the LBR stack: 0, 16 or 32 */
    bool pebs;
    bool full_width;        /* the counters can be written in full width */
    /* Faults; each may be changed at run time. */
    uint32_t pmi_skid;      /* a PMI is late by so many instructions ... */
    uint64_t pmi_delay;     /* ... and then by so much virtual time, ns */
    uint32_t pmi_spurious;  /* each so many-th PMI comes a second time */
    uint32_t bts_overshoot; /* records past the threshold before its PMI */
    bool leftovers;         /* registers at reset as if firmware used them */
    uint64_t ds_faults;     /* records lost: the DS area was not mapped */
} X86PMUConfig;

/* Cleared by a reset, kept by INIT. */
typedef struct X86PMUState {
    uint64_t gp[X86_PMU_MAX_GP];
    uint64_t evtsel[X86_PMU_MAX_GP];
    uint64_t fixed[X86_PMU_MAX_FIXED];
    uint64_t fixed_ctrl;
    uint64_t global_ctrl;
    uint64_t global_status;
    uint64_t debugctl;
    uint64_t ds_area;
    uint64_t pebs_enable;
    uint64_t pebs_ld_lat;

    /* Kept by generated code, by X86Branch; FAR with software interrupts. */
    uint64_t branches[X86_BRANCH_KINDS];
    uint64_t far_announced;
    uint64_t raised;        /* counters of edges whose event was there */
    uint64_t branch_from;   /* linear address of the current instruction */

    /* The counters include what happened before these. */
    uint64_t branches_seen[X86_BRANCH_KINDS];
    uint64_t mispredicts_seen;
    uint64_t tsc_seen;
    int32_t budget_start;   /* CPUState.insn_budget */

    uint64_t skid;          /* instructions to go until a late PMI */
    uint64_t spurious;      /* ... until one without a cause */
    uint32_t pmi_count;
    bool pmi_pending;       /* a PMI is due before the next instruction */
    bool delayed;           /* pmu_delay_timer, or its work, is under way */
    bool spurious_due;
    bool watch;             /* ring changes matter */
    bool count_ref;         /* something counts reference cycles */
    bool was_halted;        /* since the last fold: no cycle passed */
    bool step_taken;        /* the instruction that ends is a branch taken */
    bool trace_interrupt;   /* the interrupt being delivered is traced */
    bool interrupted_user;  /* ... and came outside ring 0 */

    uint64_t pebs_armed;    /* counters whose record the next event makes */
    uint64_t sample_ip;     /* linear address, of the sampled instruction */
    uint64_t sample_va;
    bool sample_load;
    bool sample_store;

    uint64_t lbr_select;
    uint64_t lbr_tos;
    uint64_t lbr_from[X86_LBR_MAX];
    uint64_t lbr_to[X86_LBR_MAX];
    uint64_t lbr_info[X86_LBR_MAX];
} X86PMUState;

#endif
