/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Intel's last branch records for TCG: SDM vol. 3B, "Last Branch, Interrupt,
 * and Exception Recording", as on Nehalem (16 entries, the prediction in the
 * source address) and Skylake (32 entries, LBR_INFO).
 *
 * Every branch is predicted, and takes no cycles.
 */

#include "qemu/osdep.h"
#include "cpu.h"
#include "pmu-internal.h"

#define LBR_SELECT_CPL_0       (1 << 0)
#define LBR_SELECT_CPL_OTHERS  (1 << 1)
#define LBR_SELECT_CALL_STACK  (1 << 9)
#define LBR_SELECT_VALID       0x3ff

static uint32_t entries(CPUX86State *env)
{
    return env_archcpu(env)->pmu.lbr;
}

bool pmu_lbr_on(CPUX86State *env)
{
    return entries(env) && (env->pmu.debugctl & DEBUGCTL_LBR) &&
           !(env->pmu.global_status & STATUS_LBR_FRZ);
}

/* "Filtering of Last Branch Records"; the ring is that where it ends */
static bool filtered(CPUX86State *env, X86Branch kind)
{
    uint64_t sel = env->pmu.lbr_select;
    uint64_t ring = env->hflags & HF_CPL_MASK ? LBR_SELECT_CPL_OTHERS
                                              : LBR_SELECT_CPL_0;

    return (sel & ring) || (sel & (1 << kind));
}

void pmu_lbr_branch(CPUX86State *env, uint64_t from, uint64_t to,
                    X86Branch kind)
{
    X86PMUState *p = &env->pmu;
    uint32_t mask = entries(env) - 1;

    if (filtered(env, kind)) {
        return;
    }
    if ((p->lbr_select & LBR_SELECT_CALL_STACK) && kind == X86_BRANCH_RET) {
        p->lbr_tos = (p->lbr_tos - 1) & mask;
        return;
    }
    p->lbr_tos = (p->lbr_tos + 1) & mask;
    p->lbr_from[p->lbr_tos] = from;
    if (entries(env) == 16) {
        /* Bit 63 says mispredicted; the address keeps its sign below it. */
        p->lbr_from[p->lbr_tos] &= ~(1ULL << 63);
    }
    p->lbr_to[p->lbr_tos] = to;
    p->lbr_info[p->lbr_tos] = 0;
}

static uint64_t *lbr_register(CPUX86State *env, uint32_t msr, uint64_t *valid)
{
    X86PMUState *p = &env->pmu;
    uint32_t n = entries(env);

    *valid = UINT64_MAX;
    if (msr == MSR_LBR_SELECT) {
        *valid = LBR_SELECT_VALID;
        return &p->lbr_select;
    }
    if (msr == MSR_LASTBRANCH_TOS) {
        *valid = n - 1;
        return &p->lbr_tos;
    }
    if (msr >= MSR_LASTBRANCH_0_FROM_IP && msr - MSR_LASTBRANCH_0_FROM_IP < n) {
        return &p->lbr_from[msr - MSR_LASTBRANCH_0_FROM_IP];
    }
    if (msr >= MSR_LASTBRANCH_0_TO_IP && msr - MSR_LASTBRANCH_0_TO_IP < n) {
        return &p->lbr_to[msr - MSR_LASTBRANCH_0_TO_IP];
    }
    if (n == 32 && msr >= MSR_LBR_INFO_0 && msr - MSR_LBR_INFO_0 < n) {
        return &p->lbr_info[msr - MSR_LBR_INFO_0];
    }
    return NULL;
}

/* Both return as x86_pmu_wrmsr() does. */
int pmu_lbr_wrmsr(CPUX86State *env, uint32_t msr, uint64_t val)
{
    uint64_t valid;
    uint64_t *r = entries(env) ? lbr_register(env, msr, &valid) : NULL;

    if (!r) {
        return 0;
    }
    if (val & ~valid) {
        return -1;
    }
    *r = val;
    return 1;
}

int pmu_lbr_rdmsr(CPUX86State *env, uint32_t msr, uint64_t *val)
{
    uint64_t valid;
    uint64_t *r = entries(env) ? lbr_register(env, msr, &valid) : NULL;

    if (!r) {
        return 0;
    }
    *val = *r;
    return 1;
}
