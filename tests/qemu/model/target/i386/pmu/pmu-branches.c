/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The TCG model of the PMU: branches, interrupts and exceptions, as they are
 * traced (CF_BRTRACE), and as they are counted.
 */

#include "qemu/osdep.h"
#include "cpu.h"
#include "exec/exec-all.h"
#include "exec/model-version.h"
#include "exec/helper-proto.h"
#include "tcg/helper-tcg.h"
#include "pmu-internal.h"

/* A branch was taken (CF_BRTRACE); user: it started outside ring 0. */
void helper_branch_trace(CPUX86State *env, uint32_t kind, uint32_t user)
{
    uint64_t to = env->eip;

    if (!(env->hflags & HF_CS64_MASK)) {
        to = (uint32_t)(to + env->segs[R_CS].base);
    }
    if (pmu_lbr_on(env)) {
        pmu_lbr_branch(env, env->pmu.branch_from, to, kind);
    }
    if (pmu_bts_on(env, user)) {
        pmu_bts_branch(env, env->pmu.branch_from, to);
    }
}

/* A software interrupt that faults does not retire. */
static void announce_software_interrupt(CPUX86State *env, bool is_int)
{
    CPUState *cs = env_cpu(env);

    if (!(cs->tcg_cflags & CF_BUDGET)) {
        return;
    }
    cs->insn_budget += env->pmu.far_announced;
    env->pmu.far_announced = is_int;
}

/*
 * SDM, "Monitoring Branches, Exceptions, and Interrupts" and "Single-Stepping
 * on Branches": before its handler runs, and here it is not recorded itself.
 */
static void debug_exception(CPUX86State *env)
{
    x86_pmu_fold(env);
    env->pmu.debugctl &= ~DEBUGCTL_CLEARED_BY_DB;
    x86_pmu_update(env);
}

/*
 * Interrupts and exceptions are branches too for the debug store and the
 * last branch records (SDM, "Last Branch, Interrupt, and Exception
 * Recording"); for the counters those by an instruction (INT n, INT3, INTO)
 * are.  Called before and after delivery.
 */
void x86_pmu_interrupt_begin(CPUX86State *env, int intno, bool is_int)
{
    X86PMUState *p = &env->pmu;

    if (!p->watch) {
        p->trace_interrupt = false;
        return;
    }
    announce_software_interrupt(env, is_int);
    if (intno == EXCP01_DB && !is_int) {
        debug_exception(env);
    }
    p->trace_interrupt = env_cpu(env)->tcg_cflags & CF_BRTRACE;
    p->interrupted_user = pmu_user_ring(env);
    p->branch_from = env->eip;
    if (!(env->hflags & HF_CS64_MASK)) {
        p->branch_from = (uint32_t)(env->eip + env->segs[R_CS].base);
    }
}

void x86_pmu_interrupt_end(CPUX86State *env)
{
    if (env->pmu.far_announced) {
        env->pmu.far_announced = 0;
        env->pmu.branches[X86_BRANCH_FAR]++;
    }
    if (env->pmu.trace_interrupt) {
        env->pmu.trace_interrupt = false;
        helper_branch_trace(env, X86_BRANCH_FAR, env->pmu.interrupted_user);
    }
}
