/* SPDX-License-Identifier: MIT */
/*
 * A counter belongs to the NMI handler while its event is in owners[]; before and after, to the
 * thread that starts or stops it. Taking it out of owners[] is one store, so the handler
 * comes wholly before or wholly after it, and nothing needs to be masked.
 *
 * A counter is written only while all are frozen, and count grows by differences of what it
 * shows: PERIODs + residue = count, whatever the interrupt's delay. In handlers all are frozen,
 * where there is a global switch (arch_counters_hide()).
 */
#include "pmu/x86/x86_counters.h"

#include <errno.h>

#include "arch/x86_64/pmu/perfmon.h"
#include "pmu/counter_census.h"
#include "pmu/sampling.h"
#include "pmu/usual_sample.h"
#include "pmu/x86/x86_assignment.h"
#include "pmu/x86/x86_leftovers.h"
#include "pmu/x86/x86_tick.h"
#include "ringbuf/bytes.h"

/* Of each CPU. */
static struct unit {
	bool usual; /* the handler need not look closer */
	struct x86_monitor m;
	struct perf_event *owners[X86_COUNTERS];  /* events of running counters */
	struct perf_event *holders[X86_COUNTERS]; /* events since add */
	uint64_t active;                          /* those switched on */
	uint64_t claimed;                         /* by add */
	bool prepared;
	bool frozen; /* between disable and enable */
	bool traces; /* IA32_DEBUGCTL is one of our drivers' */
} units[TR_MAX_CPUS];

/* ---- One counter ---- */

/* event->count as the counter says now. */
static uint64_t x86_counters_count_now(const struct perf_event *event)
{
	const struct hw_x86_counter *hw = x86_counter_of(event);

	return hw->base + ((arch_rdpmc(hw->rdpmc) - hw->value) & hw->mask);
}

/* Have the frozen counter overflow after so many more events, or as far as it can go. */
static inline void x86_counters_program(struct perf_event *event, uint64_t distance)
{
	struct hw_x86_counter *hw = x86_counter_of(event);

	if (distance > hw->farthest)
		distance = hw->farthest;
	hw->base = event->count;
	hw->value = -distance & hw->mask;
	arch_counter_write(hw->write_at, hw->value);
}

/* Without a global switch a counter's own EN is one. */
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

/* Let these counters run, and no others; 0 freezes all. */
static void x86_counters_let_run(const struct unit *u, uint64_t which)
{
	if (u->m.global_ctrl)
		arch_reg_write(u->m.global_ctrl, which);
	else
		x86_counters_switch_general(u, which);
}

static void x86_counters_set_usual(struct unit *u)
{
	u->usual = !u->frozen && u->m.global_ctrl && u->active;
}

static enum arch_pmi x86_counters_overflow(const struct arch_regs *regs);

/* An unclaimed counter is free for the next claim. */
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
	u->frozen = true; /* first: a handler from here on leaves them frozen */
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

/* A handler may change other bits at any time. */
static void x86_counters_set_active(struct unit *u, unsigned counter, bool on)
{
	uint64_t bit = 1ULL << counter, old;

	do
		old = u->active;
	while (!arch_cmpxchg_local(&u->active, old, on ? old | bit : old & ~bit));
	x86_counters_set_usual(u);
}

/* ---- The interrupt ---- */

/* A sample for the counter, if it is due, and on to the next. Nothing interrupts an NMI. */
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

/* Without a status: who has come past zero since it was programmed. */
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
	x86_counters_serve_all(u, which, regs, now);
	arch_pmi_ack();
	if (!was_frozen)
		x86_counters_let_run(u, u->active);
	return which ? ARCH_PMI_MINE : ARCH_PMI_NOT_MINE;
}

static enum arch_pmi x86_counters_overflow(const struct arch_regs *regs)
{
	uint64_t now = arch_cycles(), which;
	struct unit *u = &units[arch_cpu()];

	RING_OPAQUE(u); /* in a register: the compiler would compute it anew each time */
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
		x86_counters_give_back(u); /* the event that counted beside it */
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
		return -EBUSY;
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

/* Set the counter's controls; without a global switch EN is left to x86_counters_let_run(). select
 * 0: off. */
static void x86_counters_configure(const struct x86_monitor *m, unsigned counter, uint64_t select)
{
	unsigned shift = 4 * (counter - GLOBAL_FIXED);
	uint64_t control = 0;

	if (!x86_counter_is_fixed(counter)) {
		uint64_t enable = PERFEVTSEL_INT | (m->global_ctrl ? PERFEVTSEL_EN : 0);

		arch_reg_write(x86_select_register(m, counter), select ? select | enable : 0);
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
	x86_counters_program(event, sampling_left(event));
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
	/* In a handler: the switch is thrown at its end. Without one all are let run there. */
	if (!u->frozen && u->m.global_ctrl)
		x86_counters_let_run(u, u->active);
	x86_counters_configure(&u->m, hw->counter, 0);
	event->count = x86_counters_count_now(event);
	if (u->m.global_clear)
		arch_reg_write(u->m.global_clear, 1ULL << hw->counter);
}

/* The NMI may come anywhere in here. It changes count, unless nothing was counted since, or it
 * changes base; then what was read is of two times, and is read again. */
void x86_counters_read(struct perf_event *event)
{
	const struct hw_x86_counter *hw = x86_counter_of(event);
	uint64_t before, base, now;

	do {
		before = __atomic_load_n(&event->count, __ATOMIC_RELAXED);
		base = __atomic_load_n(&hw->base, __ATOMIC_RELAXED);
		now = x86_counters_count_now(event);
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
		now = x86_counters_count_now(event);
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

/* All are frozen, so a count loses nothing on the way. A handler that is late may throttle the
 * event meanwhile, which is in nobody's reach from stop to start. */
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
