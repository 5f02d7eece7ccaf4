/* SPDX-License-Identifier: MIT */
/*
 * While a counter's event is in owners[], the counter belongs to the NMI handler; before and after,
 * to the thread that starts or stops it. One store removes it from owners[], so the handler runs
 * completely before or completely after that store, and nothing needs to be masked.
 *
 * A counter is written only while all are frozen, and event->count grows by differences of the
 * counter's value. So the sum of PERIODs + residue = count, for any delay of the interrupt. In
 * handlers all counters are frozen, if the CPU has a global switch (arch_counters_hide()).
 */
#include "pmu/x86/x86_counters.h"

#include <errno.h>

#include "arch/x86_64/pmu/perfmon.h"
#include "pmu/counter_census.h"
#include "pmu/sampling.h"
#include "pmu/usual_sample.h"
#include "pmu/x86/intel_pebs.h"
#include "pmu/x86/x86_assignment.h"
#include "pmu/x86/x86_leftovers.h"
#include "pmu/x86/x86_tick.h"
#include "ringbuf/bytes.h"

/* One per CPU. */
static struct unit {
	bool usual; /* the usual set-up, which the handler need not check further */
	struct x86_monitor m;
	struct perf_event *owners[X86_COUNTERS];  /* events of running counters */
	struct perf_event *holders[X86_COUNTERS]; /* events from add to del */
	uint64_t active;                          /* counters that are switched on */
	uint64_t claimed;                         /* counters that add has claimed */
	bool prepared;
	bool frozen; /* between disable and enable */
	bool traces; /* a driver of ours uses IA32_DEBUGCTL */
} units[TR_MAX_CPUS];

/* ---- One counter ---- */

/* event->count including the counter's current value. */
static uint64_t x86_counters_count_now(const struct perf_event *event)
{
	const struct hw_x86_counter *hw = x86_counter_of(event);

	return hw->base + ((arch_rdpmc(hw->rdpmc) - hw->value) & hw->mask);
}

static uint64_t x86_counters_count(const struct perf_event *event)
{
	return x86_counter_of(event)->precise.recorded ? intel_pebs_count(event)
	                                               : x86_counters_count_now(event);
}

/* Set the frozen counter to overflow after distance more events, or after its longest distance. */
static inline void x86_counters_program(struct perf_event *event, uint64_t distance)
{
	struct hw_x86_counter *hw = x86_counter_of(event);

	if (distance > hw->farthest)
		distance = hw->farthest;
	hw->base = event->count;
	hw->value = -distance & hw->mask;
	arch_counter_write(hw->write_at, hw->value);
}

/* Without a global switch, each counter is switched by its own EN bit. */
static void x86_counters_switch_general(const struct unit *u, uint64_t on)
{
	for (unsigned i = 0; i < u->m.general; i++) {
		const struct perf_event *event = u->owners[i];
		uint64_t select = event ? x86_counter_of(event)->select | PERFEVTSEL_INT : 0;

		if (event)
			arch_reg_write(x86_select_register(&u->m, i),
			               on >> i & 1 ? select | PERFEVTSEL_EN : select);
	}
}

/* Let only these counters run; 0 freezes all. */
static void x86_counters_let_run(const struct unit *u, uint64_t which)
{
	if (u->m.global_ctrl)
		arch_reg_write(u->m.global_ctrl, which);
	else
		x86_counters_switch_general(u, which);
}

static void x86_counters_set_usual(struct unit *u)
{
	u->usual = !u->frozen && u->m.global_ctrl && u->active &&
	           !intel_pebs_runs((unsigned)(u - units));
}

static enum arch_pmi x86_counters_overflow(const struct arch_regs *regs);

/* If no counter is claimed, give all of them back. */
static void x86_counters_give_back(struct unit *u)
{
	if (!u->prepared || u->claimed & ~x86_tick_counter())
		return;
	x86_tick_end();
	u->prepared = false;
	arch_counters_hide(0);
	arch_pmi_leave(x86_counters_overflow);
}

void x86_counters_disable(void)
{
	struct unit *u = &units[arch_cpu()];

	if (u->frozen)
		return;
	u->frozen = true; /* must be first: from here on a handler leaves the counters frozen */
	x86_counters_set_usual(u);
	if (u->active)
		x86_counters_let_run(u, 0);
}

void x86_counters_enable(void)
{
	struct unit *u = &units[arch_cpu()];

	if (!u->frozen)
		return;
	u->frozen = false;
	if (u->active)
		x86_counters_let_run(u, u->active);
	x86_counters_set_usual(u);
	x86_counters_give_back(u);
}

/* Atomic, because a handler may change other bits at any time. */
static void x86_counters_set_active(struct unit *u, unsigned counter, bool on)
{
	uint64_t bit = 1ULL << counter, old;

	do
		old = u->active;
	while (!arch_cmpxchg_local(&u->active, old, on ? old | bit : old & ~bit));
	x86_counters_set_usual(u);
}

/* ---- The interrupt ---- */

/* Write a sample for the counter if it is due, and program the next one. Nothing interrupts an NMI
 * handler. */
RING_FAST void serve(const struct unit *u, unsigned counter, const struct arch_regs *regs,
                     uint64_t now)
{
	struct perf_event *event = u->owners[counter];

	if (RING_RARE(!event))
		return;
	event->count = x86_counters_count_now(event);
	x86_counters_program(event, sampling_counted_alone(event, regs, now));
}

static __attribute__((noinline)) void x86_counters_serve_all(const struct unit *u, uint64_t which,
                                                             const struct arch_regs *regs,
                                                             uint64_t now)
{
	for (; which; which &= which - 1)
		serve(u, (unsigned)__builtin_ctzll(which), regs, now);
}

/* For CPUs without an overflow status: the counters that have passed zero since they were
 * programmed. */
static uint64_t x86_counters_overflowed(const struct unit *u)
{
	uint64_t which = 0;

	if (u->m.global_status)
		return arch_counter_read(u->m.global_status);
	for (unsigned i = 0; i < u->m.general; i++) {
		const struct perf_event *event = u->owners[i];

		if (event &&
		    arch_rdpmc(x86_counter_of(event)->rdpmc) < x86_counter_of(event)->value)
			which |= 1ULL << i;
	}
	return which;
}

static __attribute__((noinline)) enum arch_pmi
x86_counters_overflow_general(const struct unit *u, const struct arch_regs *regs, uint64_t now)
{
	bool was_frozen = u->frozen;
	uint64_t which;

	if (!u->active)
		return ARCH_PMI_NOT_MINE;
	x86_counters_let_run(u, 0);
	which = x86_counters_overflowed(u);
	if (which && u->m.global_clear)
		arch_counter_write(u->m.global_clear, which);
	x86_counters_serve_all(u, intel_pebs_serve((unsigned)(u - units), which), regs, now);
	arch_pmi_ack();
	if (!was_frozen)
		x86_counters_let_run(u, u->active);
	return which ? ARCH_PMI_MINE : ARCH_PMI_NOT_MINE;
}

static enum arch_pmi x86_counters_overflow(const struct arch_regs *regs)
{
	uint64_t now = arch_cycles(), which;
	struct unit *u = &units[arch_cpu()];

	RING_OPAQUE(u); /* keeps the address in a register */
	if (RING_RARE(!u->usual))
		return x86_counters_overflow_general(u, regs, now);
	which = arch_counter_read(u->m.global_status);
	if (RING_RARE(!which))
		return ARCH_PMI_NOT_MINE;
	arch_counter_write(u->m.global_clear, which);
	if (RING_RARE(which & (which - 1)))
		x86_counters_serve_all(u, which, regs, now);
	else
		serve(u, (unsigned)__builtin_ctzll(which), regs, now);
	arch_pmi_ack();
	return ARCH_PMI_MINE;
}

/* ---- Operations for the event core ---- */

void x86_counters_set_trace(unsigned cpu, bool ours)
{
	struct unit *u = &units[cpu];

	u->traces = ours;
	if (!ours)
		x86_counters_give_back(u); /* unless other events still use counters */
}

bool x86_counters_are_ours(unsigned cpu)
{
	return units[cpu].prepared;
}

int x86_counters_prepare(unsigned cpu, const struct x86_monitor *monitor)
{
	struct counter_census *census = &counter_census[cpu];
	struct unit *u = &units[cpu];
	int code;

	if (u->prepared)
		return 0;
	u->m = *monitor;
	if (u->traces)
		u->m.debugctl = 0;
	x86_leftovers_clear(&u->m, census);
	if (census->foreign == census->present)
		return census->dead ? -ENODATA : -EBUSY;
	u->prepared = true;
	if (u->m.global_ctrl)
		arch_counters_hide(u->m.global_ctrl);
	code = arch_pmi_share(x86_counters_overflow);
	return code ? code : x86_tick_begin(cpu, &u->m);
}

void x86_counters_del(struct perf_event *event)
{
	struct unit *u = &units[event->cpu];

	u->claimed &= ~(1ULL << x86_counter_of(event)->counter);
	u->holders[x86_counter_of(event)->counter] = NULL;
}

/* Write the counter's event select. With no global switch, EN is left to x86_counters_let_run().
 * select 0: off. A select with INT gets no interrupt: PEBS has its own. */
static void x86_counters_configure(const struct x86_monitor *m, unsigned counter, uint64_t select)
{
	unsigned shift = 4 * (counter - GLOBAL_FIXED);
	uint64_t control = 0;

	if (!x86_counter_is_fixed(counter)) {
		uint64_t enable = PERFEVTSEL_INT | (m->global_ctrl ? PERFEVTSEL_EN : 0);

		arch_reg_write(x86_select_register(m, counter), select ? select ^ enable : 0);
		return;
	}
	if (select)
		control = FIXED_CTR_CTRL_PMI | (select & PERFEVTSEL_OS ? FIXED_CTR_CTRL_OS : 0) |
		          (select & PERFEVTSEL_USR ? FIXED_CTR_CTRL_USR : 0);
	arch_reg_write(IA32_FIXED_CTR_CTRL,
	               (arch_reg_read(IA32_FIXED_CTR_CTRL) & ~(0xfULL << shift)) | control
	                                                                               << shift);
}

void x86_counters_start(struct perf_event *event)
{
	const struct hw_x86_counter *hw = x86_counter_of(event);
	struct unit *u = &units[event->cpu];

	x86_counters_configure(&u->m, hw->counter, hw->select);
	x86_counters_program(event,
	                     hw->precise.recorded ? intel_pebs_start(event) : sampling_left(event));
	__atomic_store_n(&u->owners[hw->counter], event, __ATOMIC_RELEASE);
	x86_counters_set_active(u, hw->counter, true);
}

void x86_counters_stop(struct perf_event *event)
{
	const struct hw_x86_counter *hw = x86_counter_of(event);
	struct unit *u = &units[event->cpu];

	if (u->owners[hw->counter] != event)
		return;
	__atomic_store_n(&u->owners[hw->counter], NULL, __ATOMIC_RELEASE);
	x86_counters_set_active(u, hw->counter, false);
	/* A handler switches the counters on at its end. Without a global switch they are switched
	 * on here. */
	if (!u->frozen && u->m.global_ctrl)
		x86_counters_let_run(u, u->active);
	x86_counters_configure(&u->m, hw->counter, 0);
	if (hw->precise.recorded)
		intel_pebs_stop(event);
	event->count = x86_counters_count(event);
	if (u->m.global_clear)
		arch_reg_write(u->m.global_clear, 1ULL << hw->counter);
}

/* An NMI may come at any point. It changes count (unless nothing was counted) or base; then the
 * values read do not belong together, and the loop reads again. */
void x86_counters_read(struct perf_event *event)
{
	const struct hw_x86_counter *hw = x86_counter_of(event);
	uint64_t before, base, now;

	do {
		before = __atomic_load_n(&event->count, __ATOMIC_RELAXED);
		base = __atomic_load_n(&hw->base, __ATOMIC_RELAXED);
		now = x86_counters_count(event);
		__atomic_signal_fence(__ATOMIC_SEQ_CST);
	} while (base != __atomic_load_n(&hw->base, __ATOMIC_RELAXED) ||
	         !arch_cmpxchg_local(&event->count, before, now));
}

uint64_t x86_counters_peek(const struct perf_event *event)
{
	const struct hw_x86_counter *hw = x86_counter_of(event);
	uint64_t base, now;

	do {
		base = __atomic_load_n(&hw->base, __ATOMIC_RELAXED);
		now = x86_counters_count(event);
		__atomic_signal_fence(__ATOMIC_SEQ_CST);
	} while (base != __atomic_load_n(&hw->base, __ATOMIC_RELAXED));
	return now;
}

/* ---- Assignment of counters ---- */

static void x86_counters_hold_counter(struct unit *u, struct perf_event *event, unsigned counter)
{
	x86_counter_address(x86_counter_of(event), &u->m, counter);
	u->holders[counter] = event;
	u->claimed |= 1ULL << counter;
}

/* All counters are frozen, so no count is lost. A late handler may throttle the event meanwhile;
 * from stop to start no handler can reach it. */
static void x86_counters_move(struct unit *u, unsigned from, unsigned to)
{
	struct perf_event *event = u->holders[from];
	bool counts = u->owners[from] == event;

	if (counts)
		x86_counters_stop(event);
	x86_counters_del(event);
	x86_counters_hold_counter(u, event, to);
	if (!counts)
		return;
	x86_counters_start(event);
	if (event->state == EVENT_THROTTLED)
		x86_counters_stop(event);
}

int x86_counters_claim(struct perf_event *event, uint64_t candidates)
{
	const struct counter_census *census = &counter_census[event->cpu];
	struct unit *u = &units[event->cpu];
	struct x86_way way;
	unsigned counter =
	    x86_find_counter(u->holders, candidates, census->present & ~census->foreign, &way);
	bool was_frozen = u->frozen;

	if (counter == X86_COUNTERS)
		return -EAGAIN;
	for (; !(candidates >> counter & 1); counter = way.giver[counter]) {
		x86_counters_disable();
		x86_counters_move(u, way.giver[counter], counter);
	}
	x86_counter_of(event)->candidates = candidates;
	x86_counters_hold_counter(u, event, counter);
	if (!was_frozen)
		x86_counters_enable();
	return 0;
}
