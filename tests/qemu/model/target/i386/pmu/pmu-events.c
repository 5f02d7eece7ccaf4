/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The TCG model of the PMU: its events, and the counters that count them.
 */

#include "qemu/osdep.h"
#include "cpu.h"
#include "pmu-internal.h"

/* SDM, "Pre-defined Architectural Performance Events", and Skylake's C4H. */
static PMUEvent decode(uint64_t sel)
{
    switch (sel & EVTSEL_EVENT) {
    case 0x003c: return EV_CYCLES;
    case 0x013c: return EV_REF;
    case 0x00c0: return EV_INST;
    case 0x01c0: return EV_INST;        /* INST_RETIRED.PREC_DIST */
    case 0x01cd: return EV_INST;        /* LOAD_LATENCY, see ds.c */
    case 0x01a4: return EV_SLOTS;
    case 0x00c4: return EV_BR_ALL;
    case 0x01c4: return EV_BR_COND;
    case 0x02c4: return EV_BR_CALL;
    case 0x08c4: return EV_BR_RET;
    case 0x10c4: return EV_BR_NOT_TAKEN;
    case 0x20c4: return EV_BR_NEAR_TAKEN;
    case 0x40c4: return EV_BR_FAR;
    case 0x00c5: return EV_BR_MISS;
    default:     return EV_NONE;
    }
}

/*
 * SDM, IA32_PERFEVTSELx, CMASK and INV: with a mask the counter counts
 * cycles, those with at least (INV: fewer than) so many events.  A cycle here
 * has one event at the most; slots and reference cycles take no mask.
 */
PMUEvent pmu_gp_event(uint64_t sel)
{
    unsigned cmask = extract64(sel, 24, 8);
    PMUEvent ev = decode(sel);

    if (ev == EV_NONE || cmask == 0 || ev == EV_SLOTS || ev == EV_REF) {
        return ev;
    }
    if (sel & EVTSEL_INV) {
        return EV_CYCLES;       /* ... but for those of gp_inverted() */
    }
    return cmask > 1 ? EV_NONE : ev;
}

/* The event whose cycles a counter that counts cycles leaves out */
static PMUEvent gp_inverted(uint64_t sel)
{
    return extract64(sel, 24, 8) == 1 && (sel & EVTSEL_INV) &&
           pmu_gp_event(sel) == EV_CYCLES ? decode(sel) : EV_NONE;
}

uint64_t pmu_gp_count(uint64_t sel, const uint64_t *ev)
{
    uint64_t n = ev[pmu_gp_event(sel)];

    return n - MIN(n, ev[gp_inverted(sel)]);
}

PMUEvent pmu_fixed_event(int i)
{
    static const PMUEvent events[X86_PMU_MAX_FIXED] = {
        EV_INST, EV_CYCLES, EV_REF, EV_SLOTS
    };
    return events[i];
}

/*
 * Instructions that can run before a counter of ev overflows, at the least:
 * no event but slots happens more than once an instruction.  Reference
 * cycles are watched by a timer.
 */
uint64_t pmu_distance(PMUEvent ev, uint64_t counter)
{
    uint64_t left = PMU_MASK + 1 - counter;

    switch (ev) {
    case EV_NONE:
    case EV_REF:
        return PMU_NEVER;
    case EV_SLOTS:
        return DIV_ROUND_UP(left, SLOTS_PER_CYCLE);
    default:
        return left;
    }
}
