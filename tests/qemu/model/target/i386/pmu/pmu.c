/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Intel's architectural performance monitoring for TCG: counters, overflow
 * and its interrupt.  The registers are in pmu-msr.c, the debug store in
 * ds.c, the last branch records in lbr.c.
 *
 * A model for testing drivers.  It is deterministic with -icount:
 *
 *  - instructions and branches are exact (CF_BUDGET, exec/exec-all.h);
 *  - a core cycle is an instruction; a slot is a quarter of one (invented);
 *  - reference cycles are TSC ticks while the CPU is not halted;
 *  - every 16th branch is mispredicted (invented);
 *  - the PMI of an overflow is taken right after the instruction that made
 *    the counter overflow, unless faults are asked for.
 */

#include "qemu/osdep.h"
#include "qemu/main-loop.h"
#include "qemu/timer.h"
#include "cpu.h"
#include "exec/exec-all.h"
#include "exec/model-version.h"
#include "exec/helper-proto.h"
#include "hw/i386/apic.h"
#include "tcg/helper-tcg.h"
#include "pmu-internal.h"

#define BRANCHES_PER_MISS  16
/* A spurious PMI comes when the handler of the true one is long gone. */
#define SPURIOUS_GAP       10000

static const X86PMUConfig *config(CPUX86State *env)
{
    return &env_archcpu(env)->pmu;
}

/*
 * SDM, IA32_PERFEVTSELx, E: what counts is that the event begins, in a cycle
 * after one without it.  While such a counter runs, x86_pmu_update() has each
 * cycle, which is an instruction, folded by itself.
 */
static uint64_t gp_edge(CPUX86State *env, int i, const uint64_t *ev)
{
    uint64_t was = env->pmu.raised & (1ULL << i);

    if (!ev[EV_CYCLES]) {
        return 0;
    }
    if (!pmu_gp_count(env->pmu.evtsel[i], ev)) {
        env->pmu.raised &= ~(1ULL << i);
        return 0;
    }
    env->pmu.raised |= 1ULL << i;
    return was ? 0 : 1;
}

uint64_t pmu_counter_mask(CPUX86State *env)
{
    return MAKE_64BIT_MASK(0, config(env)->gp) |
           MAKE_64BIT_MASK(32, config(env)->fixed);
}

/* Which rings counter i counts in: a mask of 1 (ring 0) and 2 (others). */
static int gp_rings(CPUX86State *env, int i)
{
    uint64_t sel = env->pmu.evtsel[i];

    if (!(sel & EVTSEL_EN) || !(env->pmu.global_ctrl & (1ULL << i)) ||
        (env->pmu.global_status & STATUS_CTR_FRZ)) {
        return 0;
    }
    return (sel & EVTSEL_OS ? 1 : 0) | (sel & EVTSEL_USR ? 2 : 0);
}

static int fixed_rings(CPUX86State *env, int i)
{
    if (!(env->pmu.global_ctrl & (1ULL << (32 + i))) ||
        (env->pmu.global_status & STATUS_CTR_FRZ)) {
        return 0;
    }
    return (env->pmu.fixed_ctrl >> (4 * i)) & (FIXED_CTRL_OS | FIXED_CTRL_USR);
}

static bool here(CPUX86State *env, int rings)
{
    return rings & (pmu_user_ring(env) ? 2 : 1);
}

bool pmu_gp_active(CPUX86State *env, int i)
{
    return here(env, gp_rings(env, i));
}

/*
 * Clocks are read between instructions as far as the model is concerned, so
 * -icount's guard against reading them in the middle of a TB is put aside:
 * what is read may be as much as a TB ahead, identically in every run.
 */
static uint64_t read_tsc(CPUX86State *env)
{
    CPUState *cs = env_cpu(env);
    bool can_do_io = cpu_can_do_io(cs);
    uint64_t tsc;

    cpu_set_can_do_io(cs, true);
    tsc = cpu_get_tsc(env);
    cpu_set_can_do_io(cs, can_do_io);
    return tsc;
}

static int64_t read_clock(CPUX86State *env)
{
    CPUState *cs = env_cpu(env);
    bool can_do_io = cpu_can_do_io(cs);
    int64_t now;

    cpu_set_can_do_io(cs, true);
    now = qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL);
    cpu_set_can_do_io(cs, can_do_io);
    return now;
}

/* Leave the code that runs; insn_budget_expired() will see what is due. */
static void kick(CPUX86State *env)
{
    cpu_leave_code(env_cpu(env));
}

static void pmi_due(CPUX86State *env)
{
    X86CPU *cpu = env_archcpu(env);

    if (cpu->pmu.pmi_delay) {
        if (!env->pmu.delayed) {
            env->pmu.delayed = true;
            timer_mod(cpu->pmu_delay_timer,
                      read_clock(env) + cpu->pmu.pmi_delay);
        }
        return;
    }
    env->pmu.pmi_pending = true;
    kick(env);
}

/*
 * Helpers may not raise interrupts (with -icount QEMU aborts), so a PMI only
 * leaves a note here; it is delivered between two instructions.
 */
void pmu_request_pmi(CPUX86State *env)
{
    if (!config(env)->pmi_skid) {
        pmi_due(env);
    } else if (!env->pmu.skid) {
        env->pmu.skid = config(env)->pmi_skid;
    }
}

static void deliver(CPUX86State *env)
{
    bool lock = !bql_locked();

    if (lock) {
        bql_lock();
    }
    apic_deliver_pmi(env_archcpu(env)->apic_state);
    if (lock) {
        bql_unlock();
    }
}

/*
 * SDM, "Freezing LBR and Performance Counters on PMI": up to version 3 the
 * enables are cleared, from version 4 on a status bit holds them.
 */
static void freeze(CPUX86State *env)
{
    bool streamlined = config(env)->version >= 4;

    if (env->pmu.debugctl & DEBUGCTL_FREEZE_PERFMON) {
        if (streamlined) {
            env->pmu.global_status |= STATUS_CTR_FRZ;
        } else {
            env->pmu.global_ctrl = 0;
        }
    }
    if (env->pmu.debugctl & DEBUGCTL_FREEZE_LBRS) {
        if (streamlined) {
            env->pmu.global_status |= STATUS_LBR_FRZ;
        } else {
            env->pmu.debugctl &= ~DEBUGCTL_LBR;
        }
    }
}

/* One that no counter asked for (fault injection) */
void pmu_inject_pmi(CPUX86State *env)
{
    env->pmu.spurious_due = true;
    if (env_cpu(env)->halted) {
        env->pmu.spurious_due = false;
        deliver(env);
    }
}

static void deliver_due(CPUX86State *env)
{
    uint32_t every = config(env)->pmi_spurious;

    if (env->pmu.pmi_pending) {
        env->pmu.pmi_pending = false;
        freeze(env);
        deliver(env);
        if (every && ++env->pmu.pmi_count % every == 0) {
            env->pmu.spurious = SPURIOUS_GAP;
        }
    }
    if (env->pmu.spurious_due) {
        env->pmu.spurious_due = false;
        deliver(env);
    }
}

/* The events since the last call */
static void gather(CPUX86State *env, uint64_t *ev)
{
    CPUState *cs = env_cpu(env);
    X86PMUState *p = &env->pmu;
    uint64_t br[X86_BRANCH_KINDS], misses, total = 0;
    int i;

    p->branches[X86_BRANCH_FAR] += p->far_announced;
    p->far_announced = 0;
    for (i = 0; i < X86_BRANCH_KINDS; i++) {
        br[i] = p->branches[i] - p->branches_seen[i];
        p->branches_seen[i] = p->branches[i];
        total += p->branches[i];
        ev[EV_BR_ALL] += br[i];
    }
    misses = total / BRANCHES_PER_MISS;
    ev[EV_BR_MISS] = misses - p->mispredicts_seen;
    p->mispredicts_seen = misses;
    ev[EV_BR_NOT_TAKEN] = br[X86_BRANCH_NOT_TAKEN];
    ev[EV_BR_COND] = br[X86_BRANCH_JCC] + br[X86_BRANCH_NOT_TAKEN];
    ev[EV_BR_CALL] = br[X86_BRANCH_REL_CALL] + br[X86_BRANCH_IND_CALL];
    ev[EV_BR_RET] = br[X86_BRANCH_RET];
    ev[EV_BR_FAR] = br[X86_BRANCH_FAR];
    ev[EV_BR_NEAR_TAKEN] = ev[EV_BR_ALL] - ev[EV_BR_NOT_TAKEN] - ev[EV_BR_FAR];

    ev[EV_INST] = p->budget_start - cs->insn_budget;
    ev[EV_CYCLES] = ev[EV_INST];
    ev[EV_SLOTS] = ev[EV_INST] * SLOTS_PER_CYCLE;
    p->budget_start = cs->insn_budget;

    if (p->count_ref) {
        uint64_t now = read_tsc(env);

        /* SDM, CPU_CLK_UNHALTED.REF_TSC: not while halted */
        ev[EV_REF] = p->was_halted ? 0 : now - p->tsc_seen;
        p->tsc_seen = now;
    }
    p->was_halted = cs->halted;
}

/* Returns true if the counter overflowed. */
static bool advance(uint64_t *counter, uint64_t n)
{
    *counter += n;
    if (*counter <= PMU_MASK) {
        return false;
    }
    *counter &= PMU_MASK;
    return true;
}

static bool advance_gp(CPUX86State *env, int i, const uint64_t *ev)
{
    uint64_t sel = env->pmu.evtsel[i];

    if (!advance(&env->pmu.gp[i], sel & EVTSEL_EDGE ? gp_edge(env, i, ev)
                                                    : pmu_gp_count(sel, ev))) {
        return false;
    }
    if (env->pmu.pebs_enable & (1ULL << i)) {
        /* "Precise PMUEvent-Based Sampling": the next event makes a record. */
        env->pmu.pebs_armed |= 1ULL << i;
        return false;
    }
    env->pmu.global_status |= 1ULL << i;
    return sel & EVTSEL_INT;
}

static bool advance_fixed(CPUX86State *env, int i, const uint64_t *ev)
{
    if (!advance(&env->pmu.fixed[i], ev[pmu_fixed_event(i)])) {
        return false;
    }
    env->pmu.global_status |= 1ULL << (32 + i);
    return (env->pmu.fixed_ctrl >> (4 * i)) & FIXED_CTRL_PMI;
}

/* Late and spurious interrupts are counted in instructions of any ring. */
static void age_faults(CPUX86State *env, uint64_t n)
{
    X86PMUState *p = &env->pmu;

    if (p->skid) {
        p->skid -= MIN(p->skid, n);
        if (!p->skid) {
            pmi_due(env);
        }
    }
    if (p->spurious) {
        p->spurious -= MIN(p->spurious, n);
        if (!p->spurious) {
            p->spurious_due = true;
        }
    }
}

/* Count what ran since the last call, in the ring that it ran in. */
void x86_pmu_fold(CPUX86State *env)
{
    uint64_t ev[EV_COUNT] = { 0 };
    bool pmi = false;
    int i;

    gather(env, ev);
    age_faults(env, ev[EV_INST]);
    for (i = 0; i < config(env)->gp; i++) {
        if (pmu_gp_active(env, i)) {
            pmi |= advance_gp(env, i, ev);
        } else {
            env->pmu.raised &= ~(1ULL << i);
        }
    }
    for (i = 0; i < config(env)->fixed; i++) {
        if (here(env, fixed_rings(env, i))) {
            pmi |= advance_fixed(env, i, ev);
        }
    }
    if (pmi) {
        pmu_request_pmi(env);
    }
}

/*
 * Without -icount the TSC's rate is the host's business: four ticks a
 * nanosecond are faster than any, and the timer is set again when early.
 */
static void arm_ref_timer(CPUX86State *env, uint64_t ticks)
{
    uint64_t ns = icount_enabled() ? ticks : MAX(ticks / 4, 1000);

    timer_mod_anticipate_ns(env_archcpu(env)->pmu_ref_timer,
                            read_clock(env) + MIN(ns, NANOSECONDS_PER_SECOND));
}

typedef struct Plan {
    uint64_t left;      /* instructions until the next fold */
    uint64_t ref_left;  /* reference cycles until an overflow */
    int rings;          /* rings that something counts in */
    int ref_rings;      /* ... reference cycles */
} Plan;

static void plan_counter(CPUX86State *env, Plan *plan, PMUEvent ev, int rings,
                         uint64_t counter)
{
    plan->rings |= rings;
    if (ev == EV_REF) {
        plan->ref_rings |= rings;
    }
    if (here(env, rings)) {
        plan->left = MIN(plan->left, pmu_distance(ev, counter));
        if (ev == EV_REF) {
            plan->ref_left = MIN(plan->ref_left, PMU_MASK + 1 - counter);
        }
    }
}

static bool pebs_armed_here(CPUX86State *env)
{
    int i;

    for (i = 0; i < PEBS_COUNTERS; i++) {
        if ((env->pmu.pebs_armed & (1ULL << i)) && pmu_gp_active(env, i)) {
            return true;
        }
    }
    return false;
}

bool x86_pmu_steps_branches(CPUX86State *env)
{
    return env->pmu.debugctl & DEBUGCTL_BTF;
}

/* Choose the kind of code to run, and how much of it until the next fold. */
void x86_pmu_update(CPUX86State *env)
{
    CPUState *cs = env_cpu(env);
    X86PMUState *p = &env->pmu;
    Plan plan = { .left = PMU_NEVER, .ref_left = UINT64_MAX };
    bool faults = p->pmi_pending || p->spurious_due || p->skid || p->spurious;
    bool trace = pmu_bts_on(env, pmu_user_ring(env)) || pmu_lbr_on(env) ||
                 x86_pmu_steps_branches(env);
    uint32_t cflags = 0;
    int i;

    for (i = 0; i < config(env)->gp; i++) {
        plan_counter(env, &plan, pmu_gp_event(p->evtsel[i]), gp_rings(env, i),
                     p->gp[i]);
        if ((p->evtsel[i] & EVTSEL_EDGE) && pmu_gp_active(env, i)) {
            plan.left = MIN(plan.left, 1);
        }
    }
    for (i = 0; i < config(env)->fixed; i++) {
        plan_counter(env, &plan, pmu_fixed_event(i), fixed_rings(env, i),
                     p->fixed[i]);
    }
    if (p->skid) {
        plan.left = MIN(plan.left, p->skid);
    }
    if (p->spurious) {
        plan.left = MIN(plan.left, p->spurious);
    }
    if (p->pmi_pending || p->spurious_due || pebs_armed_here(env)) {
        plan.left = 0;
    }
    if (here(env, plan.rings) || faults) {
        cflags |= CF_BUDGET;
    }
    if (trace) {
        cflags |= CF_BRTRACE;
    }
    if (plan.ref_rings && !p->count_ref) {
        p->tsc_seen = read_tsc(env);
    }
    p->count_ref = plan.ref_rings;
    if (here(env, plan.ref_rings)) {
        arm_ref_timer(env, plan.ref_left);
    }
    p->watch = plan.rings || faults || trace ||
               pmu_bts_on(env, true) || pmu_bts_on(env, false) ||
               (p->debugctl & DEBUGCTL_CLEARED_BY_DB);
    cs->insn_budget = p->budget_start = plan.left;
    cs->tcg_cflags = (cs->tcg_cflags & ~(CF_BUDGET | CF_BRTRACE)) | cflags;
    /* A TB may have been asked for just before an interrupt was taken. */
    cs->cflags_next_tb = -1;
}

void x86_pmu_budget_expired(CPUState *cs)
{
    CPUX86State *env = cpu_env(cs);

    x86_pmu_fold(env);
    deliver_due(env);
    x86_pmu_update(env);
    if (pebs_armed_here(env) && !env->pmu.pmi_pending) {
        env->pmu.sample_load = env->pmu.sample_store = false;
        env->pmu.sample_ip = env->eip;
        if (!(env->hflags & HF_CS64_MASK)) {
            env->pmu.sample_ip = (uint32_t)(env->eip + env->segs[R_CS].base);
        }
        /* Exactly this instruction, whatever else is due. */
        cs->cflags_next_tb = (cs->tcg_cflags & ~CF_USE_ICOUNT) | CF_NOIRQ |
                             CF_NO_GOTO_TB | CF_NO_GOTO_PTR | CF_SAMPLE | 1;
    }
}

/* HLT has retired.  Pending work does not wait for an instruction. */
void x86_pmu_halt(CPUX86State *env)
{
    X86PMUState *p = &env->pmu;

    if (!p->watch) {
        return;
    }
    x86_pmu_fold(env);
    p->was_halted = true;
    p->raised = 0;
    if (p->skid) {
        p->skid = 0;
        pmi_due(env);
    }
    cpu_set_can_do_io(env_cpu(env), true);
    deliver_due(env);
    x86_pmu_update(env);
}

/*
 * The CPU executes again, whatever woke it (an SMI and SIPI change the ring
 * without x86_pmu_interrupt_begin()): cycles pass from here on.
 */
void x86_pmu_wake(CPUX86State *env)
{
    x86_pmu_fold(env);
    x86_pmu_update(env);
}

/*
 * An interrupt was found pending, with the BQL held, and reference cycles are
 * counted.  The timer that watches them is the host's and may be late: an
 * overflow that nobody has seen so far is older than the interrupt, its PMI
 * comes first, and if it is an NMI is taken first.  The TB that was asked for
 * stays so: the interrupt may be masked.
 */
void x86_pmu_before_interrupt(CPUX86State *env)
{
    CPUState *cs = env_cpu(env);
    uint32_t next = cs->cflags_next_tb;

    x86_pmu_fold(env);
    deliver_due(env);
    x86_pmu_update(env);
    cs->cflags_next_tb = next;
}

/* The CPU's thread runs these, between instructions. */
static void sync_work(CPUState *cs, run_on_cpu_data data)
{
    CPUX86State *env = cpu_env(cs);

    x86_pmu_fold(env);
    if (cs->halted) {
        deliver_due(env);
    }
    x86_pmu_update(env);
}

static void delayed_pmi_work(CPUState *cs, run_on_cpu_data data)
{
    CPUX86State *env = cpu_env(cs);

    if (env->pmu.delayed) {         /* there was no reset meanwhile */
        env->pmu.delayed = false;
        env->pmu.pmi_pending = true;
        sync_work(cs, data);
    }
}

static void ref_timer_cb(void *opaque)
{
    async_run_on_cpu(CPU(opaque), sync_work, RUN_ON_CPU_NULL);
}

static void delay_timer_cb(void *opaque)
{
    async_run_on_cpu(CPU(opaque), delayed_pmi_work, RUN_ON_CPU_NULL);
}

void pmu_create_timers(X86CPU *cpu)
{
    cpu->pmu_ref_timer = timer_new_ns(QEMU_CLOCK_VIRTUAL, ref_timer_cb, cpu);
    cpu->pmu_delay_timer = timer_new_ns(QEMU_CLOCK_VIRTUAL, delay_timer_cb,
                                        cpu);
}

/* SDM vol. 2, RDPMC: bit 30 selects the fixed-function counters. */
bool x86_pmu_rdpmc(CPUX86State *env, uint32_t sel, uint64_t *val)
{
    bool fixed = sel & (1u << 30);
    uint32_t i = sel & ~(1u << 30);

    if (i >= (fixed ? config(env)->fixed : config(env)->gp)) {
        return false;
    }
    x86_pmu_fold(env);
    x86_pmu_update(env);
    *val = fixed ? env->pmu.fixed[i] : env->pmu.gp[i];
    return true;
}
