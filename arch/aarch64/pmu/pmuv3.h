/* SPDX-License-Identifier: MIT */
/*
 * Registers of Arm's PMUv3: Arm Architecture Reference Manual DDI 0487, chapters D13 "The
 * Performance Monitors Extension" and D17.5. Constants only. The driver is built for every ISA, so
 * that it has tests on the host, and so that it can report that the hardware is missing.
 */
#ifndef ARCH_AARCH64_PMU_PMUV3_H
#define ARCH_AARCH64_PMU_PMUV3_H

/* A system register's encoding as a number for arch_reg_read(). */
#define ARM_SYSREG(op0, op1, crn, crm, op2) \
	((op0) << 14 | (op1) << 11 | (crn) << 7 | (crm) << 3 | (op2))

#define MIDR_EL1  ARM_SYSREG(3, 0, 0, 0, 0)
#define MIDR_KIND 0xff00fff0U /* implementer and part number */

#define ID_AA64DFR0_EL1        ARM_SYSREG(3, 0, 0, 5, 0)
#define ID_AA64DFR0_PMUVER     8    /* shift; 4 bits */
#define ID_AA64DFR0_PMUVER_IMP 0xfU /* implementation defined: not PMUv3 */
#define PMUVER_V3              1U
#define PMUVER_V3P4            5U
#define PMUVER_V3P5            6U
#define PMUVER_V3P9            9U

#define ID_AA64DFR1_EL1     ARM_SYSREG(3, 0, 0, 5, 1)
#define ID_AA64DFR1_PMICNTR 36 /* shift; 4 bits; FEAT_PMUv3_ICNTR: PMICNTR_EL0 */

#define PMICNTR_EL0      ARM_SYSREG(3, 3, 9, 4, 0) /* retired instructions */
#define PMICFILTR_EL0    ARM_SYSREG(3, 3, 9, 6, 0) /* its filter, as in PMEVTYPER */
#define PMCR_EL0         ARM_SYSREG(3, 3, 9, 12, 0)
#define PMCNTENSET_EL0   ARM_SYSREG(3, 3, 9, 12, 1)
#define PMCNTENCLR_EL0   ARM_SYSREG(3, 3, 9, 12, 2)
#define PMOVSCLR_EL0     ARM_SYSREG(3, 3, 9, 12, 3)
#define PMSELR_EL0       ARM_SYSREG(3, 3, 9, 12, 5) /* the counter that PMXEVCNTR_EL0 accesses */
#define PMCEID0_EL0      ARM_SYSREG(3, 3, 9, 12, 6)
#define PMCEID1_EL0      ARM_SYSREG(3, 3, 9, 12, 7)
#define PMCCNTR_EL0      ARM_SYSREG(3, 3, 9, 13, 0)
#define PMMIR_EL1        ARM_SYSREG(3, 0, 9, 14, 6) /* from PMUv3p4 on */
#define PMXEVCNTR_EL0    ARM_SYSREG(3, 3, 9, 13, 2)
#define PMUSERENR_EL0    ARM_SYSREG(3, 3, 9, 14, 0)
#define PMINTENSET_EL1   ARM_SYSREG(3, 0, 9, 14, 1)
#define PMINTENCLR_EL1   ARM_SYSREG(3, 0, 9, 14, 2)
#define PMCCFILTR_EL0    ARM_SYSREG(3, 3, 14, 15, 7)
#define PMEVCNTR_EL0(n)  ARM_SYSREG(3, 3, 14, 8 + (n) / 8, (n) % 8)
#define PMEVTYPER_EL0(n) ARM_SYSREG(3, 3, 14, 12 + (n) / 8, (n) % 8)

#define PMCR_E      (1U << 0) /* counting */
#define PMCR_P      (1U << 1) /* write 1: event counters to 0 */
#define PMCR_C      (1U << 2) /* write 1: cycle counter to 0 */
#define PMCR_LC     (1U << 6) /* cycle counter overflows at 64 bits */
#define PMCR_LP     (1U << 7) /* PMUv3p5: event counters have and overflow at 64 bits */
#define PMCR_N      11        /* shift: number of event counters */
#define PMCR_N_MASK 0x1fU

#define PMMIR_THWIDTH      20 /* shift; FEAT_PMUv3_TH: bits of PMEVTYPER.TH, 0: none */
#define PMMIR_THWIDTH_MASK 0xfU

#define PMEVTYPER_EVENT_MASK 0xffffU
#define PMEVTYPER_EVENT_V3   0x3ffU     /* before PMUv3p1 */
#define PMEVTYPER_P          (1U << 31) /* do not count at EL1 */
#define PMEVTYPER_U          (1U << 30) /* do not count at EL0 */
#define PMEVTYPER_NSH        (1U << 27) /* count at EL2 */
#define PMEVTYPER_TH         32         /* shift; 12 bits: threshold */
#define PMEVTYPER_TC         61         /* shift; 3 bits: how TH is compared and counted */

/* The bits and numbers of the counters that count one event each */
#define CYCLE_COUNTER       31U
#define INSTRUCTION_COUNTER 32U

/* Common events: D13.12 */
#define EVENT_L1D_CACHE_REFILL 0x03U
#define EVENT_L1D_CACHE        0x04U
#define EVENT_INST_RETIRED     0x08U
#define EVENT_PC_WRITE_RETIRED 0x0cU
#define EVENT_BR_MIS_PRED      0x10U
#define EVENT_CPU_CYCLES       0x11U
#define EVENT_BUS_CYCLES       0x1dU
#define EVENT_BR_RETIRED       0x21U
#define EVENT_STALL_FRONTEND   0x23U
#define EVENT_STALL_BACKEND    0x24U
#define EVENT_CHAIN            0x1eU   /* the counter below has overflowed */
#define EVENT_SAMPLE_POP       0x4000U /* this and below: SPE's */
#define EVENT_SAMPLE_FEED      0x4001U
#define EVENT_SAMPLE_FILTRATE  0x4002U
#define EVENT_SAMPLE_COLLISION 0x4003U
#define EVENTS_IN_PMCEID       0x40U /* bits from event 0, and from EVENTS_EXTENDED */
#define EVENTS_EXTENDED        0x4000U

#endif
