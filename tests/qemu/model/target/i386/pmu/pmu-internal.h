/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * TCG model of Intel's performance monitoring: bits of its registers, and
 * what its files share.
 */
#ifndef I386_TCG_PMU_INTERNAL_H
#define I386_TCG_PMU_INTERNAL_H

#define PMU_WIDTH                  48
#define PMU_MASK                   ((1ULL << PMU_WIDTH) - 1)
#define PMU_NEVER                  (1 << 30)

/* SDM, "Architectural Performance Monitoring Version 1", IA32_PERFEVTSELx */
#define EVTSEL_EVENT               0xffffULL /* with the unit mask */
#define EVTSEL_USR                 (1ULL << 16)
#define EVTSEL_OS                  (1ULL << 17)
#define EVTSEL_EDGE                (1ULL << 18)
#define EVTSEL_INT                 (1ULL << 20)
#define EVTSEL_ANY                 (1ULL << 21)
#define EVTSEL_EN                  (1ULL << 22)
#define EVTSEL_INV                 (1ULL << 23)
#define EVTSEL_VALID               0xffffffffULL

/* "... Version 2", IA32_FIXED_CTR_CTRL: four bits a counter */
#define FIXED_CTRL_OS              1
#define FIXED_CTRL_USR             2
#define FIXED_CTRL_ANY             4
#define FIXED_CTRL_PMI             8

/* "... Version 4", IA32_PERF_GLOBAL_STATUS */
#define STATUS_LBR_FRZ             (1ULL << 58)
#define STATUS_CTR_FRZ             (1ULL << 59)
#define STATUS_ASCI                (1ULL << 60)
#define STATUS_UNCORE              (1ULL << 61)
#define STATUS_OVF_BUFFER          (1ULL << 62)
#define STATUS_COND_CHGD           (1ULL << 63)
#define INUSE_PMI                  (1ULL << 63)

/* SDM, "IA32_DEBUGCTL MSR" */
#define DEBUGCTL_LBR               (1ULL << 0)
#define DEBUGCTL_BTF               (1ULL << 1)
#define DEBUGCTL_CLEARED_BY_DB     (DEBUGCTL_LBR | DEBUGCTL_BTF)
#define DEBUGCTL_TR                (1ULL << 6)
#define DEBUGCTL_BTS               (1ULL << 7)
#define DEBUGCTL_BTINT             (1ULL << 8)
#define DEBUGCTL_BTS_OFF_OS        (1ULL << 9)
#define DEBUGCTL_BTS_OFF_USR       (1ULL << 10)
#define DEBUGCTL_FREEZE_LBRS       (1ULL << 11)
#define DEBUGCTL_FREEZE_PERFMON    (1ULL << 12)
#define DEBUGCTL_VALID             0x1fc3ULL

/* IA32_PERF_CAPABILITIES; and the formats that it names */
#define PERF_CAP_LBR_EIP_FLAGS     3
#define PERF_CAP_LBR_INFO          5
#define PERF_CAP_PEBS_TRAP         (1ULL << 6)
#define PERF_CAP_PEBS_ARCH_REG     (1ULL << 7)
#define PERF_CAP_PEBS_FORMAT_3     (3ULL << 8)
#define PERF_CAP_FULL_WIDTH        (1ULL << 13)

/* SDM, "PEBS Data Format": counters that PEBS can use */
#define PEBS_COUNTERS              4

typedef enum PMUEvent {
    EV_NONE, EV_INST, EV_CYCLES, EV_REF, EV_SLOTS,
    EV_BR_ALL, EV_BR_COND, EV_BR_CALL, EV_BR_RET, EV_BR_NOT_TAKEN,
    EV_BR_NEAR_TAKEN, EV_BR_FAR, EV_BR_MISS,
    EV_COUNT
} PMUEvent;

/* pmu-events.c */
#define SLOTS_PER_CYCLE            4
PMUEvent pmu_gp_event(uint64_t sel);
PMUEvent pmu_fixed_event(int i);
uint64_t pmu_gp_count(uint64_t sel, const uint64_t *ev);
uint64_t pmu_distance(PMUEvent ev, uint64_t counter);

static inline bool pmu_user_ring(CPUX86State *env)
{
    return env->hflags & HF_CPL_MASK;
}

/* pmu.c */
bool pmu_gp_active(CPUX86State *env, int i);
uint64_t pmu_counter_mask(CPUX86State *env);
void pmu_request_pmi(CPUX86State *env);
void pmu_inject_pmi(CPUX86State *env);
void pmu_create_timers(X86CPU *cpu);

/* ds.c */
bool pmu_bts_on(CPUX86State *env, bool user);
void pmu_bts_branch(CPUX86State *env, uint64_t from, uint64_t to);

/* lbr.c */
bool pmu_lbr_on(CPUX86State *env);
void pmu_lbr_branch(CPUX86State *env, uint64_t from, uint64_t to,
                    X86Branch kind);
int pmu_lbr_wrmsr(CPUX86State *env, uint32_t msr, uint64_t val);
int pmu_lbr_rdmsr(CPUX86State *env, uint32_t msr, uint64_t *val);

#endif
