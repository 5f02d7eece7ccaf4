/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Intel's debug store for TCG: branch trace store (BTS) and precise event
 * based sampling (PEBS).  SDM vol. 3B, "BTS and DS Save Area" and "Precise
 * Event Based Sampling"; the 64-bit format only (CPUID.01H:ECX.DTES64).
 *
 * The SDM promises nothing if the save area is not mapped ("may not operate
 * properly"): here the record is lost, logged (-d guest_errors) and counted
 * in the property ds-faults.
 */

#include "qemu/osdep.h"
#include "qemu/log.h"
#include "cpu.h"
#include "exec/exec-all.h"
#include "exec/model-version.h"
#include "exec/cpu_ldst.h"
#include "tcg/helper-tcg.h"
#include "pmu-internal.h"

/* The management area: eight pointers, then reset values of the counters. */
enum {
    DS_BTS_BASE = 0x00, DS_BTS_INDEX = 0x08, DS_BTS_MAX = 0x10,
    DS_BTS_THRESHOLD = 0x18,
    DS_PEBS_BASE = 0x20, DS_PEBS_INDEX = 0x28, DS_PEBS_MAX = 0x30,
    DS_PEBS_THRESHOLD = 0x38, DS_PEBS_RESET = 0x40,
};

#define BTS_RECORD_WORDS   3
#define BTS_RECORD_SIZE    (8 * BTS_RECORD_WORDS)
#define BTS_PREDICTED      (1 << 4)

/* Record format 3 */
#define PEBS_RECORD_WORDS  25
#define PEBS_RECORD_SIZE   (8 * PEBS_RECORD_WORDS)
#define EVENT_LOAD_LATENCY 0x01cd
#define PEBS_LL_EN         32 /* the first such bit of IA32_PEBS_ENABLE */

static int ds_mmu_idx(CPUX86State *env)
{
    return env->hflags & HF_LMA_MASK ? MMU_KNOSMAP64_IDX : MMU_KNOSMAP32_IDX;
}

static bool ds_writable(CPUX86State *env, uint64_t addr)
{
    return model_writable(env, addr, ds_mmu_idx(env));
}

static uint64_t ds_read(CPUX86State *env, int field)
{
    return cpu_ldq_mmuidx_ra(env, env->pmu.ds_area + field, ds_mmu_idx(env), 0);
}

static void ds_write(CPUX86State *env, int field, uint64_t val)
{
    cpu_stq_mmuidx_ra(env, env->pmu.ds_area + field, val, ds_mmu_idx(env), 0);
}

static bool ds_fault(CPUX86State *env, const char *what, uint64_t addr)
{
    qemu_log_mask(LOG_GUEST_ERROR, "DS: %s %" PRIx64 " is not mapped\n", what,
                  addr);
    env_archcpu(env)->pmu.ds_faults++;
    return false;
}

/* Both pages that the management area may lie on */
static bool ds_check_management(CPUX86State *env)
{
    uint64_t ds = env->pmu.ds_area;

    if (!ds_writable(env, ds) ||
        !ds_writable(env, ds + DS_PEBS_RESET + 8 * PEBS_COUNTERS - 1)) {
        return ds_fault(env, "management area", ds);
    }
    return true;
}

/* A record, its pages checked first, so that no part of it can fault */
static bool ds_store(CPUX86State *env, uint64_t addr, const uint64_t *words,
                     int n)
{
    int i;

    if (!ds_writable(env, addr) ||
        !ds_writable(env, addr + 8 * n - 1)) {
        return ds_fault(env, "index", addr);
    }
    for (i = 0; i < n; i++) {
        cpu_stq_mmuidx_ra(env, addr + 8 * i, words[i], ds_mmu_idx(env), 0);
    }
    return true;
}

/* SDM, "BTS and DS Save Area"; TR and BTS both, and the ring not masked */
bool pmu_bts_on(CPUX86State *env, bool user)
{
    uint64_t d = env->pmu.debugctl;

    return (d & DEBUGCTL_TR) && (d & DEBUGCTL_BTS) &&
           !(d & (user ? DEBUGCTL_BTS_OFF_USR : DEBUGCTL_BTS_OFF_OS));
}

/*
 * With BTINT the buffer is filled up to the absolute maximum, with an
 * interrupt from the threshold on; without, it is a circle.
 */
static bool bts_threshold(CPUX86State *env, uint64_t index, uint64_t max)
{
    uint64_t at = ds_read(env, DS_BTS_THRESHOLD) +
                  (uint64_t)env_archcpu(env)->pmu.bts_overshoot *
                  BTS_RECORD_SIZE;

    return index >= at || index + BTS_RECORD_SIZE > max;
}

void pmu_bts_branch(CPUX86State *env, uint64_t from, uint64_t to)
{
    bool btint = env->pmu.debugctl & DEBUGCTL_BTINT;
    uint64_t rec[BTS_RECORD_WORDS] = { from, to, BTS_PREDICTED };
    uint64_t index, max;

    if (!ds_check_management(env)) {
        return;
    }
    index = ds_read(env, DS_BTS_INDEX);
    max = ds_read(env, DS_BTS_MAX);
    if (index + BTS_RECORD_SIZE > max) {
        if (btint) {
            return;
        }
        index = ds_read(env, DS_BTS_BASE);
    }
    if (!ds_store(env, index, rec, BTS_RECORD_WORDS)) {
        return;
    }
    index += BTS_RECORD_SIZE;
    ds_write(env, DS_BTS_INDEX, index);
    if (btint && bts_threshold(env, index, max)) {
        x86_pmu_fold(env);
        pmu_request_pmi(env);
        x86_pmu_update(env);
    }
}

/*
 * Load latency ("Load Latency Performance Monitoring Facility"): an address
 * has one of three invented latencies, with the data source that fits.
 */
static void load_latency(uint64_t va, uint64_t *latency, uint64_t *source)
{
    unsigned h = ((va >> 6) * 0x9e3779b97f4a7c15ULL) >> 60;

    if (h == 0) {
        *latency = 200;
        *source = 0x0a;         /* local memory */
    } else if (h < 4) {
        *latency = 14;
        *source = 0x03;         /* second level */
    } else {
        *latency = 4;
        *source = 0x01;         /* first level */
    }
}

static void pebs_fill(CPUX86State *env, uint64_t counters, uint64_t *rec)
{
    static const int regs[] = {
        R_EAX, R_EBX, R_ECX, R_EDX, R_ESI, R_EDI, R_EBP, R_ESP,
        8, 9, 10, 11, 12, 13, 14, 15,
    };
    X86PMUState *p = &env->pmu;
    int i;

    rec[0] = cpu_compute_eflags(env);
    rec[1] = env->eip + (env->hflags & HF_CS64_MASK ? 0
                                                    : env->segs[R_CS].base);
    for (i = 0; i < ARRAY_SIZE(regs); i++) {
        rec[2 + i] = env->regs[regs[i]];
    }
    rec[18] = counters;                 /* applicable counters */
    if (p->sample_load || p->sample_store) {
        rec[19] = p->sample_va;
    }
    if (p->sample_load) {
        load_latency(p->sample_va, &rec[21], &rec[20]);
    }
    rec[22] = p->sample_ip;             /* eventing IP */
    rec[24] = cpu_get_tsc(env);
}

/*
 * Whether counter i is content with the sampled instruction.  "Load Latency
 * Performance Monitoring Facility": loads are eligible if LL_EN is set as
 * well, and they took longer than the threshold.
 */
static bool pebs_wants(CPUX86State *env, int i)
{
    uint64_t latency, source;

    if (!(env->pmu.pebs_armed & (1ULL << i)) || !pmu_gp_active(env, i)) {
        return false;
    }
    if ((env->pmu.evtsel[i] & EVTSEL_EVENT) != EVENT_LOAD_LATENCY) {
        return true;
    }
    if (!env->pmu.sample_load ||
        !(env->pmu.pebs_enable & (1ULL << (PEBS_LL_EN + i)))) {
        return false;
    }
    load_latency(env->pmu.sample_va, &latency, &source);
    return latency > env->pmu.pebs_ld_lat;
}

static void pebs_write(CPUX86State *env, uint64_t counters)
{
    uint64_t rec[PEBS_RECORD_WORDS] = { 0 };
    uint64_t index;

    if (!ds_check_management(env)) {
        return;
    }
    index = ds_read(env, DS_PEBS_INDEX);
    if (index + PEBS_RECORD_SIZE > ds_read(env, DS_PEBS_MAX)) {
        return;
    }
    pebs_fill(env, counters, rec);
    if (!ds_store(env, index, rec, PEBS_RECORD_WORDS)) {
        return;
    }
    index += PEBS_RECORD_SIZE;
    ds_write(env, DS_PEBS_INDEX, index);
    if (index >= ds_read(env, DS_PEBS_THRESHOLD)) {
        env->pmu.global_status |= STATUS_OVF_BUFFER;
        pmu_request_pmi(env);
    }
}

/*
 * The instruction after the overflow has retired: one record for all the
 * counters that waited for it, which are then reloaded.
 */
void x86_pebs_sampled(CPUState *cs)
{
    CPUX86State *env = cpu_env(cs);
    uint64_t counters = 0;
    int i;

    x86_pmu_fold(env);
    for (i = 0; i < PEBS_COUNTERS; i++) {
        counters |= pebs_wants(env, i) ? 1ULL << i : 0;
    }
    if (counters) {
        pebs_write(env, counters);
        env->pmu.pebs_armed &= ~counters;
    }
    if (counters && ds_check_management(env)) {
        for (i = 0; i < PEBS_COUNTERS; i++) {
            if (counters & (1ULL << i)) {
                env->pmu.gp[i] = ds_read(env, DS_PEBS_RESET + 8 * i) &
                                 PMU_MASK;
            }
        }
    }
    x86_pmu_update(env);
}

/* The first address counts, a load's before a store's. */
void x86_pebs_sample_mem(CPUState *cs, vaddr addr, bool store)
{
    CPUX86State *env = cpu_env(cs);
    X86PMUState *p = &env->pmu;

    if (!p->sample_load && (!store || !p->sample_store)) {
        p->sample_va = addr;
    }
    p->sample_load |= !store;
    p->sample_store |= store;
}
