/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The TCG model of the PMU: properties of the CPU.
 */

#include "qemu/osdep.h"
#include "qapi/error.h"
#include "qapi/visitor.h"
#include "qemu/timer.h"
#include "cpu.h"
#include "exec/exec-all.h"
#include "exec/model-version.h"
#include "tcg/helper-tcg.h"
#include "pmu-internal.h"

static const X86PMUConfig default_config = {
    .version = 2,
    .gp = 4,
    .fixed = 3,
    .full_width = true,
};


static bool check_config(X86CPU *cpu, Error **errp)
{
    const X86PMUConfig *c = &cpu->pmu;

    if (!IS_INTEL_CPU(&cpu->env)) {
        error_setg(errp, "pmu=on models Intel's performance monitoring, but "
                   "this CPU's vendor is not GenuineIntel");
        error_append_hint(errp, "Choose an Intel model, or add "
                          "vendor=GenuineIntel.\n");
    } else if (cpu->env.cpuid_level < 0xa) {
        error_setg(errp, "pmu=on needs CPUID leaf 0xA (level=10 or more)");
    } else if (c->version < 2 || c->version > 5) {
        error_setg(errp, "pmu-version must be 2, 3, 4 or 5");
    } else if (c->gp != 4 && c->gp != 8) {
        error_setg(errp, "pmu-counters must be 4 or 8");
    } else if (c->fixed != 3 && !(c->fixed == 4 && c->version == 5)) {
        error_setg(errp, "pmu-fixed must be 3, or 4 with pmu-version=5");
    } else if (c->lbr != 0 && c->lbr != 16 && c->lbr != 32) {
        error_setg(errp, "pmu-lbr must be 0, 16 or 32");
    } else {
        return true;
    }
    return false;
}

/* Without the model there is nothing to shape, and nothing to go wrong. */
static bool check_off(X86CPU *cpu, Error **errp)
{
    const X86PMUConfig *c = &cpu->pmu;

    if (c->version != default_config.version || c->gp != default_config.gp ||
        c->fixed != default_config.fixed || c->lbr || c->pebs ||
        !c->full_width || c->pmi_skid || c->pmi_delay || c->pmi_spurious ||
        c->bts_overshoot || c->leftovers) {
        error_setg(errp, "pmu-*, pmi-* and bts-* are properties of the model "
                   "of the PMU: they need pmu=on");
        return false;
    }
    return true;
}

bool x86_pmu_realize(X86CPU *cpu, Error **errp)
{
    CPUX86State *env = &cpu->env;

    if (!cpu->enable_pmu) {
        return check_off(cpu, errp);
    }
    if (!check_config(cpu, errp)) {
        return false;
    }
    error_setg(&cpu->pmu_migration_blocker,
               "the TCG model of the PMU (pmu=on) has no migration state");
    if (!model_add_blocker(&cpu->pmu_migration_blocker, errp)) {
        return false;
    }
    env->features[FEAT_1_EDX] |= CPUID_DTS;     /* debug store */
    env->features[FEAT_1_ECX] |= CPUID_EXT_DTES64 | CPUID_EXT_DSCPL |
                                 CPUID_EXT_PDCM;
    pmu_create_timers(cpu);
    return true;
}

void x86_pmu_unrealize(X86CPU *cpu)
{
    if (!cpu->pmu_migration_blocker) {
        return;
    }
    timer_free(cpu->pmu_ref_timer);
    timer_free(cpu->pmu_delay_timer);
    model_del_blocker(&cpu->pmu_migration_blocker);
}

static void inject_pmi_work(CPUState *cs, run_on_cpu_data data)
{
    CPUX86State *env = cpu_env(cs);

    x86_pmu_fold(env);
    pmu_inject_pmi(env);
    x86_pmu_update(env);
}

static void set_inject_pmi(Object *obj, bool value, Error **errp)
{
    X86CPU *cpu = X86_CPU(obj);

    if (!cpu->enable_pmu || !DEVICE(obj)->realized) {
        error_setg(errp, "pmi-inject: needs pmu=on, and a running machine");
        return;
    }
    if (value) {
        async_run_on_cpu(CPU(obj), inject_pmi_work, RUN_ON_CPU_NULL);
    }
}

static void set_shape(Object *obj, Visitor *v, const char *name, void *opaque,
                      Error **errp)
{
    uint32_t value;

    if (DEVICE(obj)->realized) {
        error_setg(errp, "%s cannot be changed any more", name);
        return;
    }
    if (visit_type_uint32(v, name, &value, errp)) {
        *(uint32_t *)opaque = value;
    }
}

static void get_shape(Object *obj, Visitor *v, const char *name, void *opaque,
                      Error **errp)
{
    visit_type_uint32(v, name, opaque, errp);
}

static void set_pebs(Object *obj, bool value, Error **errp)
{
    if (DEVICE(obj)->realized) {
        error_setg(errp, "pmu-pebs cannot be changed any more");
        return;
    }
    X86_CPU(obj)->pmu.pebs = value;
}

static bool get_pebs(Object *obj, Error **errp)
{
    return X86_CPU(obj)->pmu.pebs;
}

static void set_full_width(Object *obj, bool value, Error **errp)
{
    if (DEVICE(obj)->realized) {
        error_setg(errp, "pmu-full-width cannot be changed any more");
        return;
    }
    X86_CPU(obj)->pmu.full_width = value;
}

static bool get_full_width(Object *obj, Error **errp)
{
    return X86_CPU(obj)->pmu.full_width;
}

static void set_leftovers(Object *obj, bool value, Error **errp)
{
    X86_CPU(obj)->pmu.leftovers = value;
}

static bool get_leftovers(Object *obj, Error **errp)
{
    return X86_CPU(obj)->pmu.leftovers;
}

static void add_shape(Object *obj, const char *name, uint32_t *value)
{
    object_property_add(obj, name, "uint32", get_shape, set_shape, NULL,
                        value);
}

/* Faults are plain variables: they may be set at run time with qom-set. */
void x86_pmu_init_properties(Object *obj)
{
    X86PMUConfig *c = &X86_CPU(obj)->pmu;

    *c = default_config;
    add_shape(obj, "pmu-version", &c->version);
    add_shape(obj, "pmu-counters", &c->gp);
    add_shape(obj, "pmu-fixed", &c->fixed);
    add_shape(obj, "pmu-lbr", &c->lbr);
    object_property_add_bool(obj, "pmu-pebs", get_pebs, set_pebs);
    object_property_add_bool(obj, "pmu-full-width", get_full_width,
                             set_full_width);
    object_property_add_bool(obj, "pmu-leftovers", get_leftovers,
                             set_leftovers);
    object_property_add_bool(obj, "pmi-inject", NULL, set_inject_pmi);
    object_property_add_uint32_ptr(obj, "pmi-skid", &c->pmi_skid,
                                   OBJ_PROP_FLAG_READWRITE);
    object_property_add_uint64_ptr(obj, "pmi-delay", &c->pmi_delay,
                                   OBJ_PROP_FLAG_READWRITE);
    object_property_add_uint32_ptr(obj, "pmi-spurious", &c->pmi_spurious,
                                   OBJ_PROP_FLAG_READWRITE);
    object_property_add_uint32_ptr(obj, "bts-overshoot", &c->bts_overshoot,
                                   OBJ_PROP_FLAG_READWRITE);
    object_property_add_uint64_ptr(obj, "ds-faults", &c->ds_faults,
                                   OBJ_PROP_FLAG_READ);
}
