/* SPDX-License-Identifier: MIT */
#include "agent/record/lossless/record_lossless.h"

#include <errno.h>

#include "agent/record/lossless/lossless_hold.h"
#include "agent/record/record_stop.h"
#include "agent/record/record_tick.h"
#include "lib/console/console.h"
#include "pmu/clock/clock.h"
#include "pmu/clock/clock_freeze.h"
#include "pmu/mark.h"
#include "pmu/sample.h"

/* How many handlers may write before the CPU stalls: the timer's handler (one nested in its entry,
 * itself, one nested in its exit), one more of the counters', and one in the entry of the next
 * handler; plus one spare. */
#define RESERVE_TIMES  6U
#define ENOUGH_SHARE   4U     /* a stall ends when 1/4 of the ring is free */
#define HOLD_SHARE     8U     /* it begins when less than 1/8 is free, so that sections can end */
#define LOOK_NS        10000U /* the most ns that one look counts for, because virtual time may jump */
#define AUX_RECORD_MAX (8U * RING_AUX_WORDS + RING_TRAILER_MAX)

/* ---- Conditions ---- */

static bool lossless_is_given_up(const struct recording *r)
{
	return __atomic_load_n(&r->lossless_given_up, __ATOMIC_RELAXED);
}

static bool lossless_may_stall(const struct traced_cpu *c)
{
	return c->recording->command->lossless && c->live && !c->stopped &&
	       !lossless_is_given_up(c->recording);
}

/* CPUs do not stall together while they are being started: the boot CPU waits for each one to
 * start, and a stalled CPU would not. */
static bool lossless_stalls_together(const struct recording *r)
{
	return r->command->lossless != LOSSLESS_CPU &&
	       __atomic_load_n(&r->lossless_together, __ATOMIC_RELAXED);
}

static bool lossless_others_wait(const struct traced_cpu *c)
{
	const struct recording *r = c->recording;

	for (unsigned i = 0; i < r->nr_cpus && lossless_stalls_together(r); i++) {
		if (&r->cpus[i] != c && __atomic_load_n(&r->cpus[i].waits, __ATOMIC_ACQUIRE))
			return true;
	}
	return false;
}

static void lossless_set_waits(struct traced_cpu *c, bool waits)
{
	__atomic_store_n(&c->waits, waits, __ATOMIC_RELEASE);
}

static bool lossless_has(struct traced_cpu *c, uint64_t bytes, uint64_t aux_bytes)
{
	return ring_room(&c->ring) >= bytes && (!aux_bytes || ring_aux_room(&c->aux) >= aux_bytes);
}

static bool lossless_is_low(struct traced_cpu *c)
{
	return !lossless_has(c, c->ring.reserve, c->aux_wanted);
}

/* Whether there is enough room to end the stall: more than the reserve, or the next record would
 * stall the CPU again. */
static bool lossless_has_enough(struct traced_cpu *c)
{
	uint64_t half = c->aux.size / 2;

	return lossless_has(c, c->ring.size / ENOUGH_SHARE,
	                    c->aux_wanted > half || !c->aux_wanted ? c->aux_wanted : half);
}

/* Whether the stall may wait for the end of the thread's section: what is left is enough for
 * handlers. */
static bool lossless_defers(struct traced_cpu *c)
{
	return lossless_hold_defers(c->cpu) && ring_room(&c->ring) >= c->least_room;
}

/* The ring's `low` operation: the CPU signals itself, and stalls when the handler that wrote the
 * record has returned to a thread. If it returns to another handler, the signal does nothing; then
 * the next record, or the next timer interrupt's gate, finds the ring low again. */
static void lossless_low(struct ring *ring)
{
	struct traced_cpu *c =
	    (struct traced_cpu *)((char *)ring - offsetof(struct traced_cpu, ring));

	if (lossless_may_stall(c) && !lossless_defers(c))
		arch_cpu_signal(c->cpu);
}

/* ---- Waiting ---- */

/* The state of a stall. */
struct stall {
	uint64_t passed; /* cycles: the events' clocks have skipped the stall up to here */
	uint64_t last;   /* ns of clock_steady() at the last look */
	uint64_t still;  /* ns of looking in which no tail moved */
	uint64_t tick;   /* ns of clock_steady() when the tick's work is due */
	uint64_t taken;  /* the sum of all tails at the last look */
};

/* The bytes that readers have taken from all rings. Each CPU loads only its own tails from the
 * region. */
static uint64_t lossless_taken(const struct recording *r)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < r->nr_cpus; i++)
		sum += ring_load(&r->cpus[i].ring.tail) + ring_load(&r->cpus[i].aux.tail);
	return sum;
}

static void lossless_signal_others(const struct traced_cpu *c)
{
	const struct recording *r = c->recording;

	for (unsigned i = 0; i < r->nr_cpus && lossless_stalls_together(r); i++) {
		const struct traced_cpu *other = &r->cpus[i];

		if (other != c && __atomic_load_n(&other->live, __ATOMIC_RELAXED) &&
		    !__atomic_load_n(&other->stalled_now, __ATOMIC_RELAXED))
			arch_cpu_signal(other->cpu);
	}
}

/* Skip the time since the last call in the events' clocks, and count it as stalled. */
static void lossless_stall_pass(struct traced_cpu *c, struct stall *s)
{
	uint64_t now = arch_cycles();

	context_pass(&c->context, s->passed, now);
	c->stall_ns += clock_stamp(now) - clock_stamp(s->passed);
	s->passed = now;
}

/* The tick is masked during a stall, so its work is done here. A CPU that does not stall yet is
 * signalled again. */
static void lossless_stall_tick(struct traced_cpu *c, struct stall *s)
{
	if (s->last < s->tick)
		return;
	s->tick = s->last + TICK_NS;
	lossless_stall_pass(c, s);
	recording_tick_stalled(c);
	if (c->waits)
		lossless_signal_others(c);
}

static void lossless_stall_look(struct traced_cpu *c, struct stall *s)
{
	uint64_t passed, taken;

	channel_pump(c->recording->channel);
	clock_let_time_pass(1);
	ring_tail(&c->ring);
	if (c->aux_event)
		ring_aux_room(&c->aux);
	passed = clock_look(&s->last, clock_steady(), LOOK_NS);
	taken = lossless_taken(c->recording);
	s->still = taken == s->taken ? s->still + passed : 0;
	s->taken = taken;
	lossless_stall_tick(c, s);
}

static void lossless_give_up(struct traced_cpu *c)
{
	struct recording *r = c->recording;

	c->given_up++;
	r->lossless_taken = lossless_taken(r);
	__atomic_store_n(&r->lossless_given_up, true, __ATOMIC_RELEASE);
}

/* Whether the stall continues. It is interrupted if the program has paused or resumed the events:
 * their counters are stopped during a stall, and cannot be switched. */
static bool lossless_stall_continues(struct traced_cpu *c, const struct stall *s)
{
	if (recording_switch_is_due(c))
		return false;
	if (c->waits && s->still >= TR_STALL_MS * NSEC_PER_MSEC)
		lossless_give_up(c);
	if (!lossless_may_stall(c))
		return false;
	if (c->waits && lossless_has_enough(c))
		lossless_set_waits(c, false);
	return c->waits || lossless_others_wait(c);
}

/* The time until here was counted by the clock before it jumps. The clock skips the time that
 * clock_freeze_go() takes. */
static void lossless_stall_end(struct traced_cpu *c, struct stall *s)
{
	uint64_t frozen;

	lossless_stall_pass(c, s);
	frozen = clock_freeze_go(c->cpu);
	if (!frozen)
		return;
	c->frozen += clock_span_to_ns(&machine_clock, frozen);
	context_frozen(&c->context, s->passed);
	lossless_stall_pass(c, s);
}

static void lossless_stall(struct traced_cpu *c)
{
	struct stall s = { .passed = arch_cycles(), .last = clock_steady() };

	s.tick = s.last + TICK_NS;
	s.taken = lossless_taken(c->recording);
	context_stall(&c->context);
	clock_freeze_stall(c->cpu);
	c->stalls++;
	__atomic_store_n(&c->stalled_now, true, __ATOMIC_RELAXED);
	if (c->waits) {
		ring_wake(&c->ring, TR_WAKEUP_FULL);
		lossless_signal_others(c);
	}
	while (lossless_stall_continues(c, &s))
		lossless_stall_look(c, &s);
	lossless_set_waits(c, false);
	__atomic_store_n(&c->stalled_now, false, __ATOMIC_RELAXED);
	lossless_stall_end(c, &s);
	context_go(&c->context);
}

static void lossless_look_now(struct traced_cpu *c)
{
	do {
		recording_switch_here(c);
		if (!lossless_may_stall(c))
			return;
		lossless_set_waits(c, lossless_is_low(c));
		if (!c->waits && !lossless_others_wait(c))
			return;
		lossless_stall(c);
	} while (recording_switch_is_due(c));
}

void lossless_look(struct traced_cpu *c)
{
	if (!lossless_defers(c))
		lossless_look_now(c);
}

/* The await_room operation of the event with the AUX area. */
static bool lossless_await(struct perf_event *event, uint64_t bytes)
{
	struct traced_cpu *c = recording_here();

	if (!c || c->aux_event != event || !lossless_may_stall(c))
		return false;
	c->aux_wanted = bytes;
	lossless_look_now(c);
	c->aux_wanted = 0;
	return lossless_may_stall(c);
}

/* ---- From start to end ---- */

static void lossless_gate(const struct arch_regs *regs)
{
	struct traced_cpu *c = recording_here();

	if (c && arch_interrupts_thread(regs))
		lossless_look(c);
}

/* Refuse --lossless=freeze where not all clocks can be stopped. */
static int lossless_check(const struct traced_cpu *c)
{
	struct recording *r = c->recording;

	if (r->command->lossless != LOSSLESS_FREEZE)
		return 0;
	if (c->aux_event)
		return recording_fail(
		    r, -EOPNOTSUPP,
		    "--lossless=freeze cannot be combined with an AUX area, whose "
		    "clock does not stop: use --lossless");
	if (r->cpus->cpu)
		return recording_fail(
		    r, -EINVAL,
		    "--lossless=freeze needs CPU 0, which runs the workload: use -a, "
		    "or -C with 0");
	return 0;
}

int lossless_open(struct traced_cpu *c)
{
	uint64_t reserve = 0, burst = 0, pages = 1;
	int code = lossless_check(c);

	if (code || !c->recording->command->lossless)
		return code;
	for (unsigned i = 0; i < c->recording->nr_events; i++) {
		reserve += sample_size_most(&c->events[i]) +
		           (c->events[i].aux ? AUX_RECORD_MAX : 0);
		burst += c->events[i].burst * sample_size_most(&c->events[i]);
		/* a thread may have read the clock for a mark before the stall */
		if (mark_is_event(&c->events[i].attr) &&
		    c->recording->command->lossless == LOSSLESS_FREEZE)
			c->ring.near = 0;
	}
	reserve = reserve * RESERVE_TIMES + burst;
	while (pages * TR_PAGE / ENOUGH_SHARE < reserve)
		pages *= 2;
	if (pages * TR_PAGE > c->ring.size)
		return recording_fail(
		    c->recording, -ENOSPC,
		    "--lossless needs rings of %lu pages for these events: use -m %lu", pages,
		    pages);
	c->least_room = reserve;
	if (reserve < c->ring.size / HOLD_SHARE)
		reserve = c->ring.size / HOLD_SHARE;
	ring_set_reserve(&c->ring, reserve, lossless_low);
	if (c->aux_event)
		c->aux_event->await_room = lossless_await;
	return 0;
}

void lossless_begin(const struct recording *r)
{
	clock_freeze_begin(r->command->lossless == LOSSLESS_FREEZE ? r->nr_cpus : 0);
	if (r->command->lossless)
		timer_set_gate(lossless_gate);
}

void lossless_started(struct recording *r)
{
	__atomic_store_n(&r->lossless_together, true, __ATOMIC_RELEASE);
}

void lossless_end(const struct recording *r)
{
	if (r->command->lossless)
		timer_set_gate(NULL);
}

void lossless_tick(struct traced_cpu *c)
{
	struct recording *r = c->recording;

	if (!r->command->lossless)
		return;
	ring_tail(&c->ring);
	if (c->aux_event)
		ring_aux_room(&c->aux);
	if (lossless_is_given_up(r) && lossless_taken(r) != r->lossless_taken)
		__atomic_store_n(&r->lossless_given_up, false, __ATOMIC_RELEASE);
}

void lossless_report(const struct recording *r)
{
	uint64_t given_up = 0;

	for (unsigned i = 0; i < r->nr_cpus; i++)
		given_up += r->cpus[i].given_up;
	if (given_up)
		console_printf(
		    "--lossless: no reader for %u s, %lu times: the program continued, and "
		    "records without room were lost\n",
		    TR_STALL_MS / 1000, given_up);
}
