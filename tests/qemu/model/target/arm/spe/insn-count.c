/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Arm: instructions counted by generated code, on behalf of SPE and of the
 * PMU.  Nothing is counted, and the code is what it always was, unless one of
 * them wants it at the current EL.
 */

#include "qemu/osdep.h"
#include "qemu/main-loop.h"
#include "cpu.h"
#include "internals.h"
#include "exec/exec-all.h"
#include "exec/model-version.h"

#define BUDGET_MAX (1 << 30)

uint64_t arm_insn_total(CPUARMState *env)
{
    CPUState *cs = env_cpu(env);

    env->insns.total += env->insns.budget_start - cs->insn_budget;
    env->insns.budget_start = cs->insn_budget;
    return env->insns.total;
}

/* Choose the kind of code to run, and how much of it until someone looks. */
void arm_insn_update(CPUARMState *env)
{
    CPUState *cs = env_cpu(env);
    uint64_t total = arm_insn_total(env);
    uint64_t left = BUDGET_MAX;
    bool count = false;

    arm_spe_fold(env);
    if (arm_spe_enabled(env)) {
        count = true;
        left = MIN(left, arm_spe_distance(env));
    }
    if (env->insns.pmu_counts) {
        count = true;
        left = MIN(left, env->insns.pmu_deadline -
                         MIN(total, env->insns.pmu_deadline));
    }
    cs->tcg_cflags = (cs->tcg_cflags & ~CF_BUDGET) | (count ? CF_BUDGET : 0);
    cs->insn_budget = env->insns.budget_start = left;
    /* A TB may have been asked for just before an exception was taken. */
    cs->cflags_next_tb = -1;
}

/*
 * Between two instructions, without the BQL: let the PMU see whether a
 * counter overflowed, and SPE whether it is time to sample.
 */
void arm_insn_budget_expired(CPUState *cs)
{
    CPUARMState *env = cpu_env(cs);

    if (env->insns.pmu_counts &&
        arm_insn_total(env) >= env->insns.pmu_deadline) {
        bql_lock();
        pmu_op_start(env);
        pmu_op_finish(env);
        bql_unlock();
    }
    arm_insn_update(env);
    if (arm_spe_enabled(env) && arm_spe_distance(env) == 0) {
        arm_spe_begin_sample(env);
    }
}
