/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Intel's architectural performance monitoring for TCG: CPUID and MSRs.  SDM
 * vol. 3B, "Performance Monitoring", and vol. 4 for the MSRs.
 */

#include "qemu/osdep.h"
#include "qemu/timer.h"
#include "cpu.h"
#include "exec/exec-all.h"
#include "exec/model-version.h"
#include "tcg/helper-tcg.h"
#include "pmu-internal.h"

/* The results of the access functions here */
enum { MSR_REFUSED = -1, MSR_NOT_OURS = 0, MSR_DONE = 1 };

static const X86PMUConfig *config(CPUX86State *env)
{
    return &env_archcpu(env)->pmu;
}

/* SDM vol. 2, CPUID leaf 0AH */
void x86_pmu_cpuid(X86CPU *cpu, uint32_t *eax, uint32_t *ebx,
                   uint32_t *ecx, uint32_t *edx)
{
    const X86PMUConfig *c = &cpu->pmu;

    *eax = c->version | (c->gp << 8) | (PMU_WIDTH << 16) | (7 << 24);
    *ebx = (1 << 3) | (1 << 4);         /* no last-level cache events */
    *ecx = c->version >= 5 ? MAKE_64BIT_MASK(0, c->fixed) : 0;
    *edx = c->fixed | (PMU_WIDTH << 5);
    if (c->version >= 5) {
        *edx |= 1 << 15;                /* no AnyThread */
    }
}

static uint64_t evtsel_valid(CPUX86State *env)
{
    bool any = config(env)->version == 3 || config(env)->version == 4;

    return any ? EVTSEL_VALID : EVTSEL_VALID & ~EVTSEL_ANY;
}

static uint64_t fixed_ctrl_valid(CPUX86State *env)
{
    bool any = config(env)->version == 3 || config(env)->version == 4;
    uint64_t one = FIXED_CTRL_OS | FIXED_CTRL_USR | FIXED_CTRL_PMI |
                   (any ? FIXED_CTRL_ANY : 0);
    uint64_t all = 0;
    int i;

    for (i = 0; i < config(env)->fixed; i++) {
        all |= one << (4 * i);
    }
    return all;
}

/* IA32_PERF_GLOBAL_OVF_CTRL, called _STATUS_RESET from version 4 on */
static uint64_t status_reset_valid(CPUX86State *env)
{
    uint64_t mask = pmu_counter_mask(env) | STATUS_OVF_BUFFER |
                    STATUS_COND_CHGD;

    if (config(env)->version >= 3) {
        mask |= STATUS_UNCORE;
    }
    if (config(env)->version >= 4) {
        mask |= STATUS_LBR_FRZ | STATUS_CTR_FRZ | STATUS_ASCI;
    }
    return mask;
}

static uint64_t perf_capabilities(CPUX86State *env)
{
    uint64_t cap = config(env)->full_width ? PERF_CAP_FULL_WIDTH : 0;

    if (config(env)->lbr) {
        cap |= config(env)->lbr == 16 ? PERF_CAP_LBR_EIP_FLAGS
                                      : PERF_CAP_LBR_INFO;
    }
    if (config(env)->pebs) {
        cap |= PERF_CAP_PEBS_TRAP | PERF_CAP_PEBS_ARCH_REG |
               PERF_CAP_PEBS_FORMAT_3;
    }
    return cap;
}

/* "... Version 4", IA32_PERF_GLOBAL_INUSE */
static uint64_t global_inuse(CPUX86State *env)
{
    const X86PMUState *p = &env->pmu;
    uint64_t val = 0;
    int i;

    for (i = 0; i < config(env)->gp; i++) {
        val |= p->evtsel[i] & 0xff ? 1ULL << i : 0;
        val |= p->evtsel[i] & EVTSEL_INT ? INUSE_PMI : 0;
    }
    val |= p->pebs_enable & MAKE_64BIT_MASK(0, PEBS_COUNTERS) ? INUSE_PMI : 0;
    for (i = 0; i < config(env)->fixed; i++) {
        unsigned ctl = extract64(p->fixed_ctrl, 4 * i, 4);

        val |= ctl & 3 ? 1ULL << (32 + i) : 0;
        val |= ctl & FIXED_CTRL_PMI ? INUSE_PMI : 0;
    }
    return val;
}

static uint64_t pebs_enable_valid(CPUX86State *env)
{
    uint64_t counters = MAKE_64BIT_MASK(0, MIN(config(env)->gp,
                                               PEBS_COUNTERS));

    return counters | counters << 32;   /* and load latency */
}

/* The register at msr if it is one of n from base on */
static uint64_t *indexed(uint64_t *regs, uint32_t msr, uint32_t base,
                         uint32_t n)
{
    return msr >= base && msr - base < n ? &regs[msr - base] : NULL;
}

/* "Full-Width Writes to Performance Counter Registers", if there are any */
static uint64_t *full_width_counter(CPUX86State *env, uint32_t msr)
{
    return indexed(env->pmu.gp, msr, MSR_IA32_A_PMC0,
                   config(env)->full_width ? config(env)->gp : 0);
}

/* The legacy addresses of the general counters take 32 bits with their sign. */
static int write_counter(CPUX86State *env, uint32_t msr, uint64_t val)
{
    uint64_t *r = indexed(env->pmu.gp, msr, MSR_P6_PERFCTR0, config(env)->gp);

    if (r) {
        *r = (int64_t)(int32_t)val & PMU_MASK;
        return MSR_DONE;
    }
    r = full_width_counter(env, msr);
    if (!r) {
        r = indexed(env->pmu.fixed, msr, MSR_CORE_PERF_FIXED_CTR0,
                    config(env)->fixed);
    }
    if (!r) {
        return MSR_NOT_OURS;
    }
    if (val & ~PMU_MASK) {
        return MSR_REFUSED;
    }
    *r = val;
    return MSR_DONE;
}

static int write_if_valid(uint64_t *reg, uint64_t val, uint64_t valid)
{
    if (val & ~valid) {
        return MSR_REFUSED;
    }
    *reg = val;
    return MSR_DONE;
}

static int write_evtsel(CPUX86State *env, uint32_t msr, uint64_t val)
{
    uint64_t *r = indexed(env->pmu.evtsel, msr, MSR_P6_EVNTSEL0,
                          config(env)->gp);

    if (!r) {
        return MSR_NOT_OURS;
    }
    env->pmu.pebs_armed &= ~(1ULL << (msr - MSR_P6_EVNTSEL0));
    env->pmu.raised &= ~(1ULL << (msr - MSR_P6_EVNTSEL0));
    return write_if_valid(r, val, evtsel_valid(env));
}

static int write_status(CPUX86State *env, uint32_t msr, uint64_t val)
{
    X86PMUState *p = &env->pmu;

    if (msr == MSR_CORE_PERF_GLOBAL_OVF_CTRL) {
        if (val & ~status_reset_valid(env)) {
            return MSR_REFUSED;
        }
        p->global_status &= ~val;
        return MSR_DONE;
    }
    /* IA32_PERF_GLOBAL_STATUS_SET; bit 63 is not settable */
    if (config(env)->version < 4 ||
        (val & ~(status_reset_valid(env) & ~STATUS_COND_CHGD))) {
        return MSR_REFUSED;
    }
    p->global_status |= val;
    return MSR_DONE;
}

static int write_pebs(CPUX86State *env, uint32_t msr, uint64_t val)
{
    X86PMUState *p = &env->pmu;

    if (!config(env)->pebs) {
        return MSR_REFUSED;
    }
    if (msr == MSR_PEBS_LD_LAT_THRESHOLD) {
        return write_if_valid(&p->pebs_ld_lat, val, 0xffff);
    }
    if (val & ~pebs_enable_valid(env)) {
        return MSR_REFUSED;
    }
    p->pebs_enable = val;
    p->pebs_armed &= val;
    return MSR_DONE;
}

static int write_control(CPUX86State *env, uint32_t msr, uint64_t val)
{
    X86PMUState *p = &env->pmu;

    switch (msr) {
    case MSR_CORE_PERF_FIXED_CTR_CTRL:
        return write_if_valid(&p->fixed_ctrl, val, fixed_ctrl_valid(env));
    case MSR_CORE_PERF_GLOBAL_CTRL:
        return write_if_valid(&p->global_ctrl, val, pmu_counter_mask(env));
    case MSR_CORE_PERF_GLOBAL_OVF_CTRL:
    case MSR_CORE_PERF_GLOBAL_STATUS_SET:
        return write_status(env, msr, val);
    case MSR_CORE_PERF_GLOBAL_STATUS:
    case MSR_CORE_PERF_GLOBAL_INUSE:
    case MSR_IA32_PERF_CAPABILITIES:
        return MSR_REFUSED;
    case MSR_IA32_DS_AREA:
        if (val != (uint64_t)sextract64(val, 0, 48)) {
            return MSR_REFUSED;
        }
        p->ds_area = val;
        return MSR_DONE;
    case MSR_IA32_DEBUGCTLMSR:
        return write_if_valid(&p->debugctl, val, DEBUGCTL_VALID);
    case MSR_IA32_PEBS_ENABLE:
    case MSR_PEBS_LD_LAT_THRESHOLD:
        return write_pebs(env, msr, val);
    default:
        return MSR_NOT_OURS;
    }
}

/*
 * MSRs of performance monitoring, branch records and traces that this CPU
 * lacks, whether another configuration of the model has them or none, are
 * #GP, as the SDM has it for unimplemented ones (vol. 2, RDMSR and WRMSR).
 * QEMU's way with MSRs that it does not know, zero and no fault, would hide a
 * driver's mistake, and feign what a driver looks for by reading it.  Those
 * that have another meaning on another CPU (vol. 4) are named by the first.
 */
static int not_here(uint32_t msr)
{
    static const struct {
        uint32_t base, n;
    } lacking[] = {
        { 0x011, 3 },                       /* Pentium's CESR, CTR0, CTR1 */
        { 0x040, 8 }, { 0x060, 8 },         /* LBRs of Core and Atom */
        { MSR_P6_PERFCTR0, 10 },
        { 0x0e7, 2 },                       /* MPERF, APERF */
        { MSR_P6_EVNTSEL0, 10 },
        { 0x1a6, 2 },                       /* OFFCORE_RSP */
        { MSR_LBR_SELECT, 2 },              /* and LASTBRANCH_TOS */
        { 0x1d7, 2 }, { 0x1da, 5 },         /* LER, LBRs of P6 and P4 */
        { 0x1e0, 1 },                       /* LER_INFO */
        { 0x300, 18 },                      /* P4's counters; FIXED_CTR */
        { 0x329, 1 },                       /* PERF_METRICS */
        { 0x360, 18 },                      /* P4's CCCRs */
        { MSR_CORE_PERF_GLOBAL_STATUS_SET, 2 }, /* and INUSE */
        { 0x393, 5 },                       /* Nehalem's uncore */
        { 0x3a0, 66 },                      /* P4's ESCRs; uncore */
        { 0x3f0, 3 },                       /* P4's PEBS; PEBS_ENABLE */
        { MSR_PEBS_LD_LAT_THRESHOLD, 2 },   /* and PEBS_FRONTEND */
        { MSR_IA32_A_PMC0, 10 },
        { 0x560, 2 }, { 0x570, 3 }, { 0x580, 8 }, /* Processor Trace */
        { MSR_LASTBRANCH_0_FROM_IP, X86_LBR_MAX },
        { MSR_LASTBRANCH_0_TO_IP, X86_LBR_MAX },
        { 0x700, 64 }, { 0xe00, 3 },        /* client uncore */
        { 0xc80, 1 },                       /* DEBUG_INTERFACE */
        { 0xc8d, 3 },                       /* QM_EVTSEL, QM_CTR, PQR_ASSOC */
        { MSR_LBR_INFO_0, X86_LBR_MAX },
        { 0x14ce, 2 },                      /* LBR_CTL, LBR_DEPTH */
        { 0x1200, 32 }, { 0x1500, 32 }, { 0x1600, 32 }, /* its LBRs */
        { 0x1900, 256 },                    /* version 6's counters */
        { 0xc0000300, 4 },                  /* AMD's: global registers, */
        { 0xc0010000, 8 }, { 0xc0010200, 12 }, /* counters, */
        { 0xc0011030, 14 },                 /* and IBS */
    };
    int i;

    for (i = 0; i < ARRAY_SIZE(lacking); i++) {
        if (msr - lacking[i].base < lacking[i].n) {
            return MSR_REFUSED;
        }
    }
    return MSR_NOT_OURS;
}

int x86_pmu_wrmsr(CPUX86State *env, uint32_t msr, uint64_t val)
{
    int r;

    if (!env_archcpu(env)->enable_pmu) {
        return MSR_NOT_OURS;
    }
    x86_pmu_fold(env);
    r = write_counter(env, msr, val);
    if (r == MSR_NOT_OURS) {
        r = write_evtsel(env, msr, val);
    }
    if (r == MSR_NOT_OURS) {
        r = write_control(env, msr, val);
    }
    if (r == MSR_NOT_OURS) {
        r = pmu_lbr_wrmsr(env, msr, val);
    }
    x86_pmu_update(env);
    return r == MSR_NOT_OURS ? not_here(msr) : r;
}

static uint64_t *readable(CPUX86State *env, uint32_t msr)
{
    X86PMUState *p = &env->pmu;
    uint64_t *r = indexed(p->gp, msr, MSR_P6_PERFCTR0, config(env)->gp);

    if (!r) {
        r = full_width_counter(env, msr);
    }
    if (!r) {
        r = indexed(p->evtsel, msr, MSR_P6_EVNTSEL0, config(env)->gp);
    }
    if (!r) {
        r = indexed(p->fixed, msr, MSR_CORE_PERF_FIXED_CTR0,
                    config(env)->fixed);
    }
    if (r) {
        return r;
    }
    switch (msr) {
    case MSR_CORE_PERF_FIXED_CTR_CTRL:
        return &p->fixed_ctrl;
    case MSR_CORE_PERF_GLOBAL_CTRL:
        return &p->global_ctrl;
    case MSR_CORE_PERF_GLOBAL_STATUS:
        return &p->global_status;
    case MSR_IA32_DS_AREA:
        return &p->ds_area;
    case MSR_IA32_DEBUGCTLMSR:
        return &p->debugctl;
    case MSR_IA32_PEBS_ENABLE:
        return config(env)->pebs ? &p->pebs_enable : NULL;
    case MSR_PEBS_LD_LAT_THRESHOLD:
        return config(env)->pebs ? &p->pebs_ld_lat : NULL;
    default:
        return NULL;
    }
}

/* Registers that are made up as they are read */
static int read_computed(CPUX86State *env, uint32_t msr, uint64_t *val)
{
    bool v4 = config(env)->version >= 4;

    switch (msr) {
    case MSR_CORE_PERF_GLOBAL_STATUS_SET:
        *val = 0;
        return v4 ? MSR_DONE : MSR_REFUSED;
    case MSR_CORE_PERF_GLOBAL_OVF_CTRL:
        *val = 0;
        return MSR_DONE;
    case MSR_CORE_PERF_GLOBAL_INUSE:
        *val = global_inuse(env);
        return v4 ? MSR_DONE : MSR_REFUSED;
    case MSR_IA32_PERF_CAPABILITIES:
        *val = perf_capabilities(env);
        return MSR_DONE;
    default:
        return pmu_lbr_rdmsr(env, msr, val);
    }
}

int x86_pmu_rdmsr(CPUX86State *env, uint32_t msr, uint64_t *val)
{
    uint64_t *reg;
    int r;

    if (!env_archcpu(env)->enable_pmu) {
        return MSR_NOT_OURS;
    }
    x86_pmu_fold(env);
    x86_pmu_update(env);
    reg = readable(env, msr);
    if (reg) {
        *val = *reg;
        return MSR_DONE;
    }
    r = read_computed(env, msr, val);
    return r == MSR_NOT_OURS ? not_here(msr) : r;
}

/*
 * The state that a careless firmware leaves behind: counters that run and
 * interrupt, overflows nobody cleared, a debug store that was switched off
 * but not forgotten.
 */
static void leave_leftovers(CPUX86State *env)
{
    X86PMUState *p = &env->pmu;

    p->evtsel[0] = 0x3c | EVTSEL_USR | EVTSEL_OS | EVTSEL_INT | EVTSEL_EN;
    p->gp[0] = PMU_MASK - 100000;
    p->evtsel[1] = 0xc4 | EVTSEL_OS | EVTSEL_EN;
    p->gp[1] = 0x123456789;
    p->fixed[0] = PMU_MASK - 1000;
    p->fixed_ctrl = FIXED_CTRL_OS | FIXED_CTRL_USR | FIXED_CTRL_PMI;
    p->global_ctrl = pmu_counter_mask(env);
    p->global_status = 2 | STATUS_OVF_BUFFER;
    p->debugctl = DEBUGCTL_FREEZE_PERFMON | DEBUGCTL_BTINT;
    p->ds_area = 0xdeadb000;
}

/* SDM vol. 3A, table "IA-32 and Intel 64 Processor States Following ..." */
void x86_pmu_reset(CPUX86State *env)
{
    env->pmu.global_ctrl = MAKE_64BIT_MASK(0, config(env)->gp);
    env->msr_ia32_misc_enable |= MSR_IA32_MISC_ENABLE_PERFMON;
    if (!config(env)->pebs) {
        env->msr_ia32_misc_enable |= MSR_IA32_MISC_ENABLE_PEBS_UNAVAIL;
    }
    if (config(env)->leftovers) {
        leave_leftovers(env);
    }
    /* These were under way for the CPU before the reset. */
    timer_del(env_archcpu(env)->pmu_ref_timer);
    timer_del(env_archcpu(env)->pmu_delay_timer);
    x86_pmu_update(env);
}

/*
 * SDM vol. 3A, "Initialization Overview": INIT leaves MSRs as they were.  The
 * local APIC masks its LVT, so no PMI comes of what was under way.
 */
void x86_pmu_after_init(CPUX86State *env, const X86PMUState *before)
{
    env->pmu = *before;
    env->pmu.pmi_pending = env->pmu.delayed = env->pmu.spurious_due = false;
    env->pmu.skid = env->pmu.spurious = 0;
    env->pmu.was_halted = env_cpu(env)->halted; /* until SIPI */
    x86_pmu_update(env);
}
