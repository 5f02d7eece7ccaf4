/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Arm Statistical Profiling Extension for TCG: what a sample holds, and how
 * it gets to memory.
 *
 * A model for testing drivers, deterministic by construction:
 *
 *  - an operation is an architectural instruction (PMSIDR_EL1.ArchInst);
 *  - the sample is of the instruction after the one that brings COUNT to 0;
 *  - latencies and cache events are made up from the number of the sample and
 *    the address of the instruction (invented);
 *  - a record is in memory when its instruction has completed, and samples
 *    never collide, unless faults are asked for.
 */

#include "qemu/osdep.h"
#include "qemu/timer.h"
#include "cpu.h"
#include "internals.h"
#include "exec/exec-all.h"
#include "exec/model-version.h"
#include "exec/helper-proto.h"
#include "exec/cpu_ldst.h"

/* D18 "Events packet" */
#define EV_EXCEPTION       (1 << 0)
#define EV_RETIRED         (1 << 1)
#define EV_L1D             (1 << 2)
#define EV_L1D_REFILL      (1 << 3)
#define EV_TLB             (1 << 4)
#define EV_TLB_WALK        (1 << 5)
#define EV_NOT_TAKEN       (1 << 6)
#define EV_MISPRED         (1 << 7)

/* D18 "Packet headers" */
#define PKT_END            0x01
#define PKT_OP_OTHER       0x48
#define PKT_OP_LDST        0x49
#define PKT_OP_BRANCH      0x4a
#define LDST_EXTENDED      (1 << 1)
#define LDST_AT            (1 << 2)
#define LDST_EXCL          (1 << 3)
#define LDST_AR            (1 << 4)
#define LDST_SIMD_FP       (1 << 2)
#define PKT_EVENTS_16      0x52
#define PKT_CONTEXT_EL1    0x64
#define PKT_CONTEXT_EL2    0x65
#define PKT_TIMESTAMP      0x71
#define PKT_LAT_TOTAL      0x98
#define PKT_LAT_ISSUE      0x99
#define PKT_LAT_XLAT       0x9a
#define PKT_ADDR_PC        0xb0
#define PKT_ADDR_TARGET    0xb1
#define PKT_ADDR_VA        0xb2
#define PKT_ADDR_PA        0xb3

typedef struct Sample {
    uint64_t events;
    uint64_t types;             /* as in PMSFCR_EL1 */
    uint64_t target;            /* of a taken branch */
    uint8_t target_el;
    unsigned latency, issue, translation;
    bool branch, conditional, indirect, taken;
} Sample;

void HELPER(spe_begin)(CPUARMState *env, uint32_t insn)
{
    env->spe.sampling = true;
    env->spe.load = env->spe.store = 0;
    env->spe.insn = insn;
    env->spe.pc = env->pc;
    env->spe.el = arm_current_el(env);
}

void arm_spe_sample_mem(CPUState *cs, vaddr addr, bool store)
{
    CPUARMState *env = cpu_env(cs);

    if (!env->spe.load && !env->spe.store) {
        env->spe.va = addr;
    }
    if (store) {
        env->spe.store = 1;
    } else {
        env->spe.load = 1;
    }
}

/*
 * SVC, HVC, SMC and BRK retire, and generate an exception; not those that are
 * undefined or trapped, whose exception is another.
 */
static bool is_exception_generating(CPUARMState *env)
{
    switch (env_cpu(env)->exception_index) {
    case EXCP_SWI:
    case EXCP_HVC:
    case EXCP_SMC:
    case EXCP_BKPT:
        return true;
    default:
        return false;
    }
}

/*
 * D18 "Operation Type packet", what kind of a load or store: C4.1.89 "Loads
 * and Stores"
 */
static unsigned ldst_subclass(uint32_t insn)
{
    bool o2 = insn & (1 << 23), load = insn & (1 << 22);
    bool o1 = insn & (1 << 21), o0 = insn & (1 << 15);

    if (insn & (1 << 26)) {
        return LDST_SIMD_FP;
    }
    if ((insn & 0x3f000000) == 0x08000000) {
        if (o1 && (o2 || !(insn & (1u << 31)))) {       /* CAS, CASP */
            return LDST_EXTENDED | LDST_AT | (load || o0 ? LDST_AR : 0);
        }
        if (o2) {                                       /* LDAR, STLR, ... */
            return LDST_EXTENDED | LDST_AR;
        }
        return LDST_EXTENDED | LDST_EXCL | (o0 ? LDST_AR : 0);
    }
    if ((insn & 0x3ffffc00) == 0x38bfc000 ||            /* LDAPR */
        (insn & 0x3f200c00) == 0x19000000) {            /* LDAPUR, STLUR */
        return LDST_EXTENDED | LDST_AR;
    }
    if ((insn & 0x3f200c00) == 0x38200000) {            /* LDADD, SWP, ... */
        return LDST_EXTENDED | LDST_AT | (o2 || load ? LDST_AR : 0);
    }
    return 0;
}

/* C4.1.66 "Branches, Exception Generating and System instructions" */
static void decode_branch(Sample *s, uint32_t insn)
{
    if ((insn & 0x7c000000) == 0x14000000) {            /* B, BL */
        s->branch = true;
    } else if ((insn & 0xff000010) == 0x54000000 ||     /* B.cond */
               (insn & 0x7c000000) == 0x34000000) {     /* CBZ, TBZ, ... */
        s->branch = s->conditional = true;
    } else if ((insn & 0xfe000000) == 0xd6000000) {     /* BR, RET, ERET */
        s->branch = s->indirect = true;
    }
}

/* Invented: every 16th operation misses, every 64th walks the tables. */
static void invent(Sample *s, uint64_t seed, bool memory)
{
    s->issue = 1 + seed % 3;
    s->latency = 4 + s->issue + seed % 5;
    if (memory) {
        s->events |= EV_L1D | EV_TLB;
        s->translation = 1;
        if (seed % 16 == 0) {
            s->events |= EV_L1D_REFILL;
            s->latency += 20;
        }
        if (seed % 64 == 0) {
            s->events |= EV_TLB_WALK;
            s->translation += 30;
            s->latency += 30;
        }
    } else if (s->branch && seed % 16 == 1) {
        s->events |= EV_MISPRED;
    }
}

static void describe(CPUARMState *env, Sample *s, bool exception,
                     uint64_t next_pc)
{
    uint64_t seed = env->spe.samples++ ^ (env->spe.pc >> 2);
    bool memory = env->spe.load || env->spe.store;

    if (!exception) {       /* else it is undefined, or was trapped */
        decode_branch(s, env->spe.insn);
    }
    s->target = next_pc;
    s->taken = s->branch &&
               (!s->conditional || next_pc != env->spe.pc + 4);
    s->events = exception ? EV_EXCEPTION : EV_RETIRED;
    if (exception && is_exception_generating(env)) {
        s->events |= EV_RETIRED;
    }
    if (s->branch && s->conditional && !s->taken) {
        s->events |= EV_NOT_TAKEN;
    }
    s->types = (s->branch ? PMSFCR_B : 0) | (env->spe.load ? PMSFCR_LD : 0) |
               (env->spe.store ? PMSFCR_ST : 0);
    invent(s, seed, memory);
}

/* D17 "Filtering sample records" */
static bool rejected(CPUARMState *env, const Sample *s)
{
    uint64_t f = env->spe.pmsfcr;

    return ((f & PMSFCR_FE) &&
            (s->events & env->spe.pmsevfr) != env->spe.pmsevfr) ||
           ((f & PMSFCR_FNE) && (s->events & env->spe.pmsnevfr)) ||
           ((f & PMSFCR_FT) && !(f & s->types)) ||
           ((f & PMSFCR_FL) &&
            s->latency < extract64(env->spe.pmslatfr, 0, 12));
}

static uint8_t *put(uint8_t *p, uint8_t header, uint64_t v, int size)
{
    *p++ = header;
    while (size--) {
        *p++ = v;
        v >>= 8;
    }
    return p;
}

/* D17 CollectContextIDR1() and 2(), CollectPhysicalAddress() */
static bool collect_context1(CPUARMState *env)
{
    return (env->spe.pmscr[1] & PMSCR_CX) && env->spe.el < 2 &&
           !(arm_hcr_el2_eff(env) & HCR_TGE);
}

static bool collect_context2(CPUARMState *env)
{
    return arm_is_el2_enabled(env) && (env->spe.pmscr[2] & PMSCR_CX);
}

static bool collect_pa(CPUARMState *env)
{
    bool el1 = env->spe.pmscr[1] & PMSCR_PA;

    if (!arm_is_el2_enabled(env)) {
        return el1;
    }
    if (!(env->spe.pmscr[2] & PMSCR_PA)) {
        return false;
    }
    return el1 || env->spe.el == 2 || (arm_hcr_el2_eff(env) & HCR_TGE);
}

/* D17 CollectTimeStamp(): virtual unless PCT says physical at both ELs */
static bool collect_timestamp(CPUARMState *env, uint64_t *ts)
{
    uint64_t scr = env->spe.pmscr[arm_spe_owner(env)];
    bool physical = extract64(scr, PMSCR_PCT_SHIFT, 2) == PMSCR_PCT_PHYS;

    if (arm_is_el2_enabled(env)) {
        physical = physical && extract64(env->spe.pmscr[2], PMSCR_PCT_SHIFT,
                                         2) == PMSCR_PCT_PHYS;
    }
    *ts = qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL) /
          gt_cntfrq_period_ns(env_archcpu(env));
    if (!physical) {
        *ts -= env->cp15.cntvoff_el2;
    }
    return scr & PMSCR_TS;
}

static uint8_t *put_data_address(CPUARMState *env, uint8_t *p)
{
    MemTxAttrs attrs = { 0 };
    hwaddr pa;

    p = put(p, PKT_ADDR_VA, env->spe.va, 8);
    if (!collect_pa(env)) {
        return p;
    }
    pa = arm_cpu_get_phys_page_attrs_debug(env_cpu(env), env->spe.va, &attrs);
    if (pa == -1) {
        return p;
    }
    pa |= env->spe.va & ~TARGET_PAGE_MASK;
    return put(p, PKT_ADDR_PA, pa | (attrs.secure ? 0 : 1ULL << 63), 8);
}

/* D18 "Address packet": an instruction's, with its EL and world */
static uint64_t insn_address(CPUARMState *env, uint64_t pc, uint64_t el)
{
    uint64_t ns = arm_is_secure_below_el3(env) ? 0 : 0x80;

    return extract64(pc, 0, 56) | (ns | el << 5) << 56;
}

/* D18 "Sample record packets"; the rest of the record is padding. */
static void format(CPUARMState *env, const Sample *s, uint8_t *rec)
{
    bool memory = env->spe.load || env->spe.store;
    uint8_t *p = rec;
    uint64_t ts;

    p = put(p, PKT_ADDR_PC, insn_address(env, env->spe.pc, env->spe.el), 8);
    if (collect_context1(env)) {
        p = put(p, PKT_CONTEXT_EL1, env->cp15.contextidr_el[1], 4);
    }
    if (collect_context2(env)) {
        p = put(p, PKT_CONTEXT_EL2, env->cp15.contextidr_el[2], 4);
    }
    p = put(p, PKT_EVENTS_16, s->events, 2);
    if (s->branch) {
        p = put(p, PKT_OP_BRANCH, s->conditional | s->indirect << 1, 1);
    } else if (memory) {
        p = put(p, PKT_OP_LDST,
                env->spe.store | ldst_subclass(env->spe.insn), 1);
    } else {
        p = put(p, PKT_OP_OTHER, 0, 1);
    }
    p = put(p, PKT_LAT_TOTAL, s->latency, 2);
    p = put(p, PKT_LAT_ISSUE, s->issue, 2);
    if (memory) {
        p = put(p, PKT_LAT_XLAT, s->translation, 2);
        p = put_data_address(env, p);
    } else if (s->taken) {
        p = put(p, PKT_ADDR_TARGET,
                insn_address(env, s->target, s->target_el), 8);
    }
    if (collect_timestamp(env, &ts)) {
        p = put(p, PKT_TIMESTAMP, ts, 8);
    } else {
        *p++ = PKT_END;
    }
    assert(p <= rec + SPE_RECORD_SIZE);
}

/* A buffer management event; what waits for PSB CSYNC is lost. */
static void stop(CPUARMState *env, uint64_t syndrome)
{
    env->spe.pmbsr &= ~(PMBSR_EC(0x3f) | PMBSR_MSS);
    env->spe.pmbsr |= PMBSR_S | syndrome | (env->spe.delayed ? PMBSR_DL : 0);
    env->spe.delayed = 0;
    arm_spe_update_irq(env);
}

static ARMMMUIdx buffer_mmu_idx(CPUARMState *env)
{
    if (arm_spe_owner(env) == 1) {
        return ARMMMUIdx_E10_1;
    }
    return arm_hcr_el2_eff(env) & HCR_E2H ? ARMMMUIdx_E20_2 : ARMMMUIdx_E2;
}

/* D17 "Faults and watchpoints": what the walk says, in PMBSR_EL1 */
static void buffer_fault(CPUARMState *env, uint64_t ptr)
{
    GetPhysAddrResult res = { };
    ARMMMUFaultInfo fi = { };
    uint64_t fsc = 7;

    if (model_get_phys_addr(env, ptr, MMU_DATA_STORE, buffer_mmu_idx(env),
                            &res, &fi)) {
        fsc = arm_fi_to_lfsc(&fi) & 0x3f;
    }
    stop(env, PMBSR_DL | fsc |
         PMBSR_EC(fi.stage2 ? PMBSR_EC_STAGE2 : PMBSR_EC_STAGE1));
}

static void store(CPUARMState *env, uint64_t ptr, const uint8_t *rec,
                  unsigned size)
{
    int idx = arm_to_core_mmu_idx(buffer_mmu_idx(env));
    unsigned i;

    for (i = 0; i < size; i++) {
        cpu_stb_mmu(env, ptr + i, rec[i], make_memop_idx(MO_UB, idx), 0);
    }
}

/* A fault that was asked for; true if the record is lost. */
static bool injected_fault(CPUARMState *env, uint64_t ptr, const uint8_t *rec)
{
    ARMSPEConfig *c = &env_archcpu(env)->spe;

    if (!c->fault_after || --c->fault_after) {
        return false;
    }
    if (c->fault_partial) {
        store(env, ptr, rec, MIN(c->fault_partial, SPE_RECORD_SIZE));
        env->spe.pmbptr = ptr + SPE_RECORD_SIZE;
    }
    stop(env, c->fault_syndrome);
    return true;
}

/*
 * D17 "Profiling Buffer management": a record is written if the largest one
 * fits; when the next would not, the buffer is full.
 */
static void write_record(CPUARMState *env, const uint8_t *rec)
{
    uint64_t limit = env->spe.pmblimitr & ~0xfffULL;
    uint64_t ptr = env->spe.pmbptr;

    if (ptr + SPE_RECORD_SIZE > limit) {
        stop(env, PMBSR_DL | PMBSR_BSC_FULL);
        return;
    }
    if (!model_writable(env, ptr, arm_to_core_mmu_idx(buffer_mmu_idx(env)))) {
        buffer_fault(env, ptr);
        return;
    }
    if (injected_fault(env, ptr, rec)) {
        return;
    }
    store(env, ptr, rec, SPE_RECORD_SIZE);
    env->spe.pmbptr = ptr + SPE_RECORD_SIZE;
    if (env->spe.pmbptr + SPE_RECORD_SIZE > limit) {
        stop(env, PMBSR_BSC_FULL);
    }
}

/* The oldest delayed record; lost if the buffer was disabled meanwhile. */
static void write_oldest(CPUARMState *env)
{
    uint8_t rec[SPE_RECORD_SIZE];

    memcpy(rec, env->spe.record[0], sizeof(rec));
    env->spe.delayed--;
    memmove(env->spe.record[0], env->spe.record[1],
            env->spe.delayed * sizeof(rec));
    if ((env->spe.pmblimitr & PMBLIMITR_E) && !(env->spe.pmbsr & PMBSR_S)) {
        write_record(env, rec);
    }
}

/* D17 "Synchronization and Statistical Profiling": PSB CSYNC */
void arm_spe_sync(CPUARMState *env)
{
    while (env->spe.delayed) {
        write_oldest(env);
    }
}

void HELPER(spe_sync)(CPUARMState *env)
{
    if (env->spe.delayed) {
        arm_spe_fold(env);
        arm_spe_sync(env);
        arm_insn_update(env);
    }
}

static void emit(CPUARMState *env, const uint8_t *rec)
{
    uint32_t delay = MIN(env_archcpu(env)->spe.delay, SPE_MAX_DELAY);

    while (env->spe.delayed && env->spe.delayed >= delay) {
        write_oldest(env);
    }
    if (env->spe.pmbsr & PMBSR_S) {
        return;
    }
    if (delay) {
        memcpy(env->spe.record[env->spe.delayed++], rec, SPE_RECORD_SIZE);
    } else {
        write_record(env, rec);
    }
}

static bool discards(CPUARMState *env)
{
    return env_archcpu(env)->spe.version >= 3 &&
           extract64(env->spe.pmblimitr, PMBLIMITR_FM_SHIFT, 2) ==
           PMBLIMITR_FM_DISCARD;
}

static bool collides(CPUARMState *env)
{
    uint32_t every = env_archcpu(env)->spe.collide;

    return every && env->spe.samples % every == 0;
}

static void finish(CPUARMState *env, bool exception, uint64_t next_pc,
                   unsigned next_el)
{
    uint8_t rec[SPE_RECORD_SIZE] = { 0 };
    Sample s = { .target_el = next_el };

    env->spe.sampling = false;
    describe(env, &s, exception, next_pc);
    if (collides(env)) {
        env->spe.pmbsr |= PMBSR_COLL;
        return;
    }
    if (!rejected(env, &s) && !discards(env)) {
        format(env, &s, rec);
        emit(env, rec);
    }
}

void arm_spe_sampled(CPUState *cs)
{
    CPUARMState *env = cpu_env(cs);

    if (env->spe.sampling) {
        arm_spe_fold(env);
        finish(env, false, env->pc, env->spe.el);
        arm_insn_update(env);
    }
}

/* The EL that ERET goes to; QEMU has checked that the SPSR is good. */
static unsigned return_el(CPUARMState *env, int el)
{
    uint32_t spsr = env->banked_spsr[aarch64_banked_spsr_index(el)];

    if (!(spsr & PSTATE_nRW)) {
        return extract32(spsr, 2, 2);
    }
    switch (spsr & CPSR_M) {
    case ARM_CPU_MODE_USR: return 0;
    case ARM_CPU_MODE_HYP: return 2;
    default:               return 1;
    }
}

/*
 * An EL change ends the sampled instruction: it is its cause.  Without an
 * exception that is an ERET, ERETAA or ERETAB that executes.
 */
void arm_spe_sample_exception(CPUARMState *env)
{
    int el = arm_current_el(env);

    if (!env->spe.sampling) {
        return;
    }
    if (env_cpu(env)->exception_index < 0) {
        finish(env, false, env->elr_el[el], return_el(env, el));
    } else {
        finish(env, true, 0, el);
    }
}

/* A call that QEMU answers itself (PSCI, semihosting): no EL changes. */
void arm_spe_sample_call(CPUARMState *env)
{
    if (env->spe.sampling) {
        arm_spe_fold(env);
        finish(env, true, 0, env->spe.el);
        arm_insn_update(env);
    }
}
