/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Arm Statistical Profiling Extension for TCG: registers and control.  The
 * contents of a sample, and its way to memory, are in spe-sample.c.
 */

#include "qemu/osdep.h"
#include "qapi/error.h"
#include "qapi/visitor.h"
#include "qemu/main-loop.h"
#include "cpu.h"
#include "internals.h"
#include "cpregs.h"
#include "hw/irq.h"
#include "exec/exec-all.h"
#include "exec/model-version.h"

#define SPE_V1P2           3
#define INTERVAL_MASK      0xffffff00ULL
/* spe-fault-syndrome: a translation fault at level 3, with data loss */
#define DEFAULT_SYNDROME   (PMBSR_DL | PMBSR_EC(PMBSR_EC_STAGE1) | 7)

#define MDCR_PB_SHIFT      12   /* MDCR_EL2.E2PB, MDCR_EL3.NSPB */
#define MDCR_TPMS          (1 << 14)
#define NSPB_TRAP_NONE     1    /* the low bit of both: do not trap */
#define MDCR_ENPMSN        (1ULL << 36)

/* D19 PMSIDR_EL1: FE, FT, FL, ArchInst; Interval 256; CountSize 12 bits */
#define PMSIDR_FNE         (1 << 6)
#define PMSIDR             (0xf | (SPE_ALIGN << 12) | (2 << 16))

/* D19 PMSEVFR_EL1: events that can be filtered on; SPEv1p2: not taken, too */
#define PMSEVFR            0xaaULL
#define PMSEVFR_V1P2       0x40ULL

/*
 * D17 ProfilingBufferOwner(): the EL whose translation the buffer uses.
 * MDCR_EL3.NSPB says which security state, MDCR_EL2.E2PB which EL of it.
 */
int arm_spe_owner(CPUARMState *env)
{
    if (arm_is_el2_enabled(env) &&
        extract64(env->cp15.mdcr_el2, MDCR_PB_SHIFT, 2) == 0) {
        return 2;
    }
    return 1;
}

static bool owner_is_secure(CPUARMState *env)
{
    if (!arm_feature(env, ARM_FEATURE_EL3)) {
        return arm_is_secure_below_el3(env);
    }
    return extract64(env->cp15.mdcr_el3, MDCR_PB_SHIFT, 2) < 2;
}

/* D17 StatisticalProfilingEnabled() */
bool arm_spe_enabled(CPUARMState *env)
{
    int el, owner;
    bool tge;

    if (!(env->spe.pmblimitr & PMBLIMITR_E) || (env->spe.pmbsr & PMBSR_S) ||
        !is_a64(env)) {
        return false;
    }
    el = arm_current_el(env);
    owner = arm_spe_owner(env);
    tge = arm_hcr_el2_eff(env) & HCR_TGE;
    if (owner < el || (tge && owner == 1) ||
        owner_is_secure(env) != arm_is_secure_below_el3(env)) {
        return false;
    }
    switch (el) {
    case 0:
        return env->spe.pmscr[tge ? 2 : 1] & PMSCR_E0;
    case 1:
    case 2:
        return env->spe.pmscr[el] & PMSCR_E1;
    default:
        return false;
    }
}

/* Take what ran since the last call off PMSICR_EL1.COUNT. */
static void fold(CPUARMState *env)
{
    uint64_t total = arm_insn_total(env);
    uint64_t count = extract64(env->spe.pmsicr, 0, 32);
    uint64_t ran = total - env->spe.seen;

    env->spe.seen = total;
    env->spe.pmsicr = deposit64(env->spe.pmsicr, 0, 32,
                                count - MIN(count, ran));
}

/* While profiling is disabled instructions pass by. */
static void pass(CPUARMState *env)
{
    env->spe.seen = arm_insn_total(env);
}

/* D17 "Sampling": the interval, and with RND a random part of it */
static uint64_t interval(CPUARMState *env)
{
    uint64_t n = env->spe.pmsirr & INTERVAL_MASK;

    if (env->spe.pmsirr & PMSIRR_RND) {
        env->spe.random = env->spe.random * 1103515245 + 12345;
        n += (env->spe.random >> 16) & 0xff;
    }
    return MAX(n, 1);
}

/* Instructions until the next sample; 0: it is the next instruction. */
uint64_t arm_spe_distance(CPUARMState *env)
{
    return extract64(env->spe.pmsicr, 0, 32);
}

/* Load COUNT when profiling starts with zero, and after a sample. */
static void reload(CPUARMState *env)
{
    if (arm_spe_enabled(env) && arm_spe_distance(env) == 0) {
        env->spe.pmsicr = deposit64(env->spe.pmsicr, 0, 32, interval(env));
    }
}

/*
 * The budget has expired with COUNT at zero: the next instruction is sampled,
 * in a TB of its own, whatever else is due.
 */
void arm_spe_begin_sample(CPUARMState *env)
{
    CPUState *cs = env_cpu(env);

    reload(env);
    arm_insn_update(env);
    cs->cflags_next_tb = (cs->tcg_cflags & ~CF_USE_ICOUNT) | CF_NOIRQ |
                         CF_NO_GOTO_TB | CF_NO_GOTO_PTR | CF_SAMPLE | 1;
}

void arm_spe_fold(CPUARMState *env)
{
    if (arm_spe_enabled(env)) {
        fold(env);
    } else {
        pass(env);
    }
}

/* D17 "Profiling Buffer management": the interrupt is PMBSR_EL1.S */
void arm_spe_update_irq(CPUARMState *env)
{
    bool lock = !bql_locked();

    if (lock) {
        bql_lock();
    }
    qemu_set_irq(env_archcpu(env)->spe_interrupt,
                 (env->spe.pmbsr & PMBSR_S) || env->spe.spurious);
    if (lock) {
        bql_unlock();
    }
}

/*
 * A spurious interrupt lasts until the end of the exception that it causes,
 * or until the driver looks for its cause.
 */
static void age_spurious(CPUARMState *env)
{
    int exception = env_cpu(env)->exception_index;

    if (exception == EXCP_IRQ || exception == EXCP_FIQ) {
        env->spe.spurious = 2;
    } else if (env->spe.spurious == 2) {
        env->spe.spurious = 0;
        arm_spe_update_irq(env);
    }
}

static void pre_el_change(ARMCPU *cpu, void *opaque)
{
    if (cpu->env.spe.spurious) {
        age_spurious(&cpu->env);
    }
    arm_spe_fold(&cpu->env);
    arm_spe_sample_exception(&cpu->env);
}

static void post_el_change(ARMCPU *cpu, void *opaque)
{
    reload(&cpu->env);
    arm_insn_update(&cpu->env);
}

static CPAccessResult access_spe(CPUARMState *env, const ARMCPRegInfo *ri,
                                 bool isread)
{
    int el = arm_current_el(env);
    bool buffer = ri->crm == 10;
    uint64_t mdcr = arm_mdcr_el2_eff(env);

    if (el == 1 && arm_is_el2_enabled(env)) {
        if (!buffer && (mdcr & MDCR_TPMS)) {
            return CP_ACCESS_TRAP_EL2;
        }
        if (buffer && !(extract64(mdcr, MDCR_PB_SHIFT, 2) & NSPB_TRAP_NONE)) {
            return CP_ACCESS_TRAP_EL2;
        }
    }
    if (el < 3 && arm_feature(env, ARM_FEATURE_EL3) &&
        (!(extract64(env->cp15.mdcr_el3, MDCR_PB_SHIFT, 2) & NSPB_TRAP_NONE) ||
         owner_is_secure(env) != arm_is_secure_below_el3(env))) {
        return CP_ACCESS_TRAP_EL3;
    }
    return CP_ACCESS_OK;
}

/* D19 MDCR_EL3.EnPMSN */
static CPAccessResult access_pmsnevfr(CPUARMState *env, const ARMCPRegInfo *ri,
                                      bool isread)
{
    CPAccessResult res = access_spe(env, ri, isread);

    if (res == CP_ACCESS_OK && arm_current_el(env) < 3 &&
        arm_feature(env, ARM_FEATURE_EL3) &&
        !(env->cp15.mdcr_el3 & MDCR_ENPMSN)) {
        return CP_ACCESS_TRAP_EL3;
    }
    return res;
}

static void write_reg(CPUARMState *env, const ARMCPRegInfo *ri, uint64_t val)
{
    arm_spe_fold(env);
    raw_write(env, ri, val);
    reload(env);
    arm_insn_update(env);
}

/* The bits of events that are not implemented are RAZ/WI. */
static uint64_t filterable(CPUARMState *env)
{
    bool v1p2 = env_archcpu(env)->spe.version >= SPE_V1P2;

    return PMSEVFR | (v1p2 ? PMSEVFR_V1P2 : 0);
}

static void write_events(CPUARMState *env, const ARMCPRegInfo *ri,
                         uint64_t val)
{
    write_reg(env, ri, val & filterable(env));
}

static uint64_t pmbsr_read(CPUARMState *env, const ARMCPRegInfo *ri)
{
    if (env->spe.spurious) {
        env->spe.spurious = 0;
        arm_spe_update_irq(env);
    }
    return env->spe.pmbsr;
}

static uint64_t pmbsr_raw_read(CPUARMState *env, const ARMCPRegInfo *ri)
{
    return env->spe.pmbsr;
}

static void pmbsr_write(CPUARMState *env, const ARMCPRegInfo *ri, uint64_t val)
{
    env->spe.spurious = 0;
    write_reg(env, ri, val);
    arm_spe_update_irq(env);
}

static uint64_t pmsicr_read(CPUARMState *env, const ARMCPRegInfo *ri)
{
    arm_spe_fold(env);
    return env->spe.pmsicr;
}

static uint64_t pmsicr_raw_read(CPUARMState *env, const ARMCPRegInfo *ri)
{
    return env->spe.pmsicr;
}

static uint64_t pmsidr_read(CPUARMState *env, const ARMCPRegInfo *ri)
{
    bool v1p2 = env_archcpu(env)->spe.version >= SPE_V1P2;

    return PMSIDR | (v1p2 ? PMSIDR_FNE : 0);
}

/* D19 PMBIDR_EL1.P: the buffer belongs to a higher EL, or another world */
static uint64_t pmbidr_read(CPUARMState *env, const ARMCPRegInfo *ri)
{
    int el = arm_current_el(env);
    bool p = el < arm_spe_owner(env) ||
             (el < 3 && owner_is_secure(env) != arm_is_secure_below_el3(env));

    return SPE_ALIGN | (p << 4);
}

#define SPE_REG_BY(n, o1, m, o2, f, check, write)                             \
    { .name = n, .state = ARM_CP_STATE_AA64, .opc0 = 3, .opc1 = o1, .crn = 9, \
      .crm = m, .opc2 = o2, .access = o1 == 4 ? PL2_RW : PL1_RW,              \
      .type = ARM_CP_IO, .accessfn = check, .writefn = write,                 \
      .raw_writefn = raw_write, .fieldoffset = offsetof(CPUARMState, spe.f) }
#define SPE_REG(n, o1, m, o2, f) \
    SPE_REG_BY(n, o1, m, o2, f, access_spe, write_reg)

static const ARMCPRegInfo spe_reginfo[] = {
    SPE_REG("PMSCR_EL1", 0, 9, 0, pmscr[1]),
    { .name = "PMSICR_EL1", .state = ARM_CP_STATE_AA64,
      .opc0 = 3, .opc1 = 0, .crn = 9, .crm = 9, .opc2 = 2, .access = PL1_RW,
      .type = ARM_CP_IO, .accessfn = access_spe, .writefn = write_reg,
      .readfn = pmsicr_read, .raw_readfn = pmsicr_raw_read,
      .raw_writefn = raw_write,
      .fieldoffset = offsetof(CPUARMState, spe.pmsicr) },
    SPE_REG("PMSIRR_EL1", 0, 9, 3, pmsirr),
    SPE_REG("PMSFCR_EL1", 0, 9, 4, pmsfcr),
    SPE_REG_BY("PMSEVFR_EL1", 0, 9, 5, pmsevfr, access_spe, write_events),
    SPE_REG("PMSLATFR_EL1", 0, 9, 6, pmslatfr),
    { .name = "PMSIDR_EL1", .state = ARM_CP_STATE_AA64,
      .opc0 = 3, .opc1 = 0, .crn = 9, .crm = 9, .opc2 = 7, .access = PL1_R,
      .type = ARM_CP_NO_RAW, .accessfn = access_spe, .readfn = pmsidr_read },
    SPE_REG("PMBLIMITR_EL1", 0, 10, 0, pmblimitr),
    SPE_REG("PMBPTR_EL1", 0, 10, 1, pmbptr),
    { .name = "PMBSR_EL1", .state = ARM_CP_STATE_AA64,
      .opc0 = 3, .opc1 = 0, .crn = 9, .crm = 10, .opc2 = 3, .access = PL1_RW,
      .type = ARM_CP_IO, .accessfn = access_spe, .writefn = pmbsr_write,
      .readfn = pmbsr_read, .raw_readfn = pmbsr_raw_read,
      .raw_writefn = raw_write,
      .fieldoffset = offsetof(CPUARMState, spe.pmbsr) },
    /* Never trapped: software reads P before anything else. */
    { .name = "PMBIDR_EL1", .state = ARM_CP_STATE_AA64,
      .opc0 = 3, .opc1 = 0, .crn = 9, .crm = 10, .opc2 = 7, .access = PL1_R,
      .type = ARM_CP_NO_RAW, .readfn = pmbidr_read },
};

static const ARMCPRegInfo spe_v1p2_reginfo[] = {
    SPE_REG_BY("PMSNEVFR_EL1", 0, 9, 1, pmsnevfr, access_pmsnevfr,
               write_events),
};

static const ARMCPRegInfo spe_el2_reginfo[] = {
    SPE_REG("PMSCR_EL2", 4, 9, 0, pmscr[2]),
};

void arm_spe_define_regs(ARMCPU *cpu)
{
    define_arm_cp_regs(cpu, spe_reginfo);
    if (cpu->spe.version >= SPE_V1P2) {
        define_arm_cp_regs(cpu, spe_v1p2_reginfo);
    }
    if (arm_feature(&cpu->env, ARM_FEATURE_EL2)) {
        define_arm_cp_regs(cpu, spe_el2_reginfo);
    }
    arm_register_pre_el_change_hook(cpu, pre_el_change, NULL);
    arm_register_el_change_hook(cpu, post_el_change, NULL);
}

/*
 * The state that a careless firmware leaves behind: filters that let nothing
 * pass, a buffer with an event pending, sampling enabled but for the buffer.
 */
static void leave_leftovers(CPUARMState *env)
{
    env->spe.pmscr[1] = PMSCR_E0 | PMSCR_E1 | PMSCR_PA;
    env->spe.pmsirr = 0x100;
    env->spe.pmsicr = 0xffffff;
    env->spe.pmsfcr = PMSFCR_FE | PMSFCR_FT | PMSFCR_FL | PMSFCR_ST;
    env->spe.pmsevfr = filterable(env);
    env->spe.pmslatfr = 0xfff;
    env->spe.pmblimitr = 0xdead0000;
    env->spe.pmbptr = 0xdead0040;
    env->spe.pmbsr = PMBSR_S | PMBSR_DL | PMBSR_COLL | PMBSR_BSC_FULL;
}

/* ... counters that run and interrupt, overflows nobody cleared */
static void leave_pmu_leftovers(CPUARMState *env)
{
    env->cp15.c9_pmcr |= 1;             /* E */
    env->cp15.c9_pmcnten = 1u << 31 | 3;
    env->cp15.c9_pminten = 1u << 31 | 3;
    env->cp15.c9_pmovsr = 1u << 31 | 1;
    env->cp15.c9_pmuserenr = 1;
    env->cp15.c14_pmevtyper[0] = 0x11;  /* CPU_CYCLES */
    env->cp15.c14_pmevcntr[0] = 0xfffff000;
    env->cp15.c15_ccnt = 0xfffff000;
}

void arm_spe_reset(ARMCPU *cpu)
{
    CPUARMState *env = &cpu->env;

    if (cpu->spe.leftovers) {
        leave_leftovers(env);
    }
    if (cpu->pmu_leftovers && arm_feature(env, ARM_FEATURE_PMU)) {
        leave_pmu_leftovers(env);
    }
    env->insns.pmu_deadline = UINT64_MAX;
    arm_insn_update(env);
    arm_spe_update_irq(env);
}

/* Without SPE there is nothing to go wrong. */
static bool check_off(ARMCPU *cpu, Error **errp)
{
    const ARMSPEConfig *c = &cpu->spe;

    if (!c->version &&
        (c->delay || c->collide || c->fault_after || c->fault_partial ||
         c->fault_syndrome != DEFAULT_SYNDROME || c->leftovers)) {
        error_setg(errp, "spe-* are properties of the model of SPE: they need "
                   "spe=on");
        return false;
    }
    return true;
}

bool arm_spe_realize(ARMCPU *cpu, Error **errp)
{
    if (!check_off(cpu, errp)) {
        return false;
    }
    if (cpu->spe.version > SPE_V1P2) {
        error_setg(errp, "spe-version must be 0 (none), 1, 2 or 3");
        return false;
    }
    return true;
}

/*
 * A register of SPE, which come first in its state, is not as at reset; or a
 * counter is enabled that may count instructions.
 */
bool arm_spe_in_use(ARMCPU *cpu)
{
    static const ARMSPEState unused;
    const CPUARMState *env = &cpu->env;

    return memcmp(&env->spe, &unused, offsetof(ARMSPEState, seen)) != 0 ||
           (cpu->count_insns && env->cp15.c9_pmcnten);
}

static bool get_spe(Object *obj, Error **errp)
{
    return ARM_CPU(obj)->spe.version != 0;
}

static void set_spe(Object *obj, bool value, Error **errp)
{
    if (DEVICE(obj)->realized) {
        error_setg(errp, "spe cannot be changed any more");
        return;
    }
    ARM_CPU(obj)->spe.version = value ? SPE_V1P2 : 0;
}

static void set_spe_version(Object *obj, Visitor *v, const char *name,
                            void *opaque, Error **errp)
{
    uint32_t value;

    if (DEVICE(obj)->realized) {
        error_setg(errp, "%s cannot be changed any more", name);
        return;
    }
    if (visit_type_uint32(v, name, &value, errp)) {
        ARM_CPU(obj)->spe.version = value;
    }
}

static void get_spe_version(Object *obj, Visitor *v, const char *name,
                            void *opaque, Error **errp)
{
    visit_type_uint32(v, name, &ARM_CPU(obj)->spe.version, errp);
}

static bool get_leftovers(Object *obj, Error **errp)
{
    return ARM_CPU(obj)->spe.leftovers;
}

static void set_leftovers(Object *obj, bool value, Error **errp)
{
    ARM_CPU(obj)->spe.leftovers = value;
}

static bool get_pmu_leftovers(Object *obj, Error **errp)
{
    return ARM_CPU(obj)->pmu_leftovers;
}

static void set_pmu_leftovers(Object *obj, bool value, Error **errp)
{
    ARM_CPU(obj)->pmu_leftovers = value;
}

static bool get_count_insns(Object *obj, Error **errp)
{
    return ARM_CPU(obj)->count_insns;
}

static void set_count_insns(Object *obj, bool value, Error **errp)
{
    if (DEVICE(obj)->realized) {
        error_setg(errp, "pmu-instructions cannot be changed any more");
        return;
    }
    ARM_CPU(obj)->count_insns = value;
}

static void inject_work(CPUState *cs, run_on_cpu_data data)
{
    CPUARMState *env = cpu_env(cs);

    env->spe.spurious = 1;
    arm_spe_update_irq(env);
}

static void set_inject(Object *obj, bool value, Error **errp)
{
    if (!ARM_CPU(obj)->spe.version || !DEVICE(obj)->realized) {
        error_setg(errp, "spe-inject: needs spe=on, and a running machine");
        return;
    }
    if (value) {
        async_run_on_cpu(CPU(obj), inject_work, RUN_ON_CPU_NULL);
    }
}

/* Faults are plain variables: they may be set at run time with qom-set. */
void arm_spe_init_properties(Object *obj)
{
    ARMSPEConfig *c = &ARM_CPU(obj)->spe;

    c->fault_syndrome = DEFAULT_SYNDROME;
    object_property_add_bool(obj, "spe", get_spe, set_spe);
    object_property_add(obj, "spe-version", "uint32", get_spe_version,
                        set_spe_version, NULL, NULL);
    object_property_add_bool(obj, "spe-leftovers", get_leftovers,
                             set_leftovers);
    object_property_add_bool(obj, "spe-inject", NULL, set_inject);
    object_property_add_uint32_ptr(obj, "spe-delay", &c->delay,
                                   OBJ_PROP_FLAG_READWRITE);
    object_property_add_uint32_ptr(obj, "spe-collide", &c->collide,
                                   OBJ_PROP_FLAG_READWRITE);
    object_property_add_uint32_ptr(obj, "spe-fault-after", &c->fault_after,
                                   OBJ_PROP_FLAG_READWRITE);
    object_property_add_uint32_ptr(obj, "spe-fault-syndrome",
                                   &c->fault_syndrome,
                                   OBJ_PROP_FLAG_READWRITE);
    object_property_add_uint32_ptr(obj, "spe-fault-partial",
                                   &c->fault_partial,
                                   OBJ_PROP_FLAG_READWRITE);
    object_property_add_bool(obj, "pmu-leftovers", get_pmu_leftovers,
                             set_pmu_leftovers);
    object_property_add_bool(obj, "pmu-instructions", get_count_insns,
                             set_count_insns);
}
