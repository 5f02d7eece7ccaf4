/* SPDX-License-Identifier: MIT */
#include "agent/record/record_lossless.h"

#include <errno.h>

#include "lib/console/console.h"
#include "pmu/clock/clock.h"
#include "pmu/clock/clock_freeze.h"
#include "pmu/mark.h"
#include "pmu/sample.h"

/* Handlers that may write before the CPU stands: the timer's with what is nested in its entry,
 * itself and its exit, one more of the counters', and the next one's entry. */
#define RESERVE_TIMES  6U
#define ENOUGH_SHARE   4U     /* that part of a ring has to be free again */
#define LOOK_NS        10000U /* that a look counts for, at most, as virtual time may leap */
#define FILLER         64U    /* turns of a loop between two looks */
#define AUX_RECORD_MAX (8U * RING_AUX_WORDS + RING_TRAILER_MAX)

/* Only its CPU writes it; wanted is its handlers'. */
static struct {
	bool held, wanted;
} holds[ARCH_MAX_CPUS];

/* ---- Whether ---- */

static bool lossless_is_given_up(const struct recording *r)
{
	return __atomic_load_n(&r->lossless_given_up, __ATOMIC_RELAXED);
}

static bool lossless_may_stand(const struct traced_cpu *c)
{
	return c->recording->command->lossless && c->live && !c->stopped &&
	       !lossless_is_given_up(c->recording);
}

/* Not while CPUs are being started: the boot CPU waits for their answers, and one that stood would
 * not give its own. */
static bool lossless_stand_together(const struct recording *r)
{
	return r->command->lossless != LOSSLESS_CPU &&
	       __atomic_load_n(&r->lossless_together, __ATOMIC_RELAXED);
}

static bool lossless_others_wait(const struct traced_cpu *c)
{
	const struct recording *r = c->recording;

	for (unsigned i = 0; i < r->nr_cpus && lossless_stand_together(r); i++) {
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

/* Whether there is room to go on: more than the reserve, or the next record would make it stand
 * again. */
static bool lossless_has_enough(struct traced_cpu *c)
{
	uint64_t half = c->aux.size / 2;

	return lossless_has(c, c->ring.size / ENOUGH_SHARE,
	                    c->aux_wanted > half || !c->aux_wanted ? c->aux_wanted : half);
}

/* ring->low: the CPU signals itself, and stands when the handler that wrote the record has returned
 * to a thread. If it returns to another handler the signal does nothing there; the next record, or
 * the next timer's gate, sees that room is low as well. */
static void lossless_low(struct ring *ring)
{
	struct traced_cpu *c =
	    (struct traced_cpu *)((char *)ring - offsetof(struct traced_cpu, ring));

	if (lossless_may_stand(c))
		arch_cpu_signal(c->cpu);
}

/* ---- Waiting ---- */

/* A stand, while it lasts. */
struct stand {
	uint64_t passed; /* cycles, up to which no time has passed for the events */
	uint64_t last;   /* look, ns of clock_steady() */
	uint64_t still;  /* ns of looking without a tail's moving */
	uint64_t tick;   /* ns: housekeeping is due */
	uint64_t taken;  /* sum of all tails */
};

/* What readers have taken of all rings; each CPU takes its own tails. */
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

	for (unsigned i = 0; i < r->nr_cpus && lossless_stand_together(r); i++) {
		const struct traced_cpu *other = &r->cpus[i];

		if (other != c && __atomic_load_n(&other->live, __ATOMIC_RELAXED) &&
		    !__atomic_load_n(&other->stands_now, __ATOMIC_RELAXED))
			arch_cpu_signal(other->cpu);
	}
}

/* For the events no time passes. */
static void lossless_stand_pass(struct traced_cpu *c, struct stand *s)
{
	uint64_t now = arch_cycles();

	context_pass(&c->context, s->passed, now);
	c->stood += clock_stamp(now) - clock_stamp(s->passed);
	s->passed = now;
}

/* What the tick does, which is masked here. Who has not heard is signalled again. */
static void lossless_stand_tick(struct traced_cpu *c, struct stand *s)
{
	if (s->last < s->tick)
		return;
	s->tick = s->last + TICK_NS;
	lossless_stand_pass(c, s);
	recording_tick_stalled(c);
	if (c->waits)
		lossless_signal_others(c);
}

/* As in agent/record/reader.c. */
static void lossless_let_time_pass(void)
{
	for (unsigned i = 0; i < FILLER; i++)
		__asm__ volatile("");
	arch_relax();
}

static void lossless_stand_look(struct traced_cpu *c, struct stand *s)
{
	uint64_t now, passed, taken;

	channel_pump(c->recording->channel);
	lossless_let_time_pass();
	ring_tail(&c->ring);
	if (c->aux_event)
		ring_aux_room(&c->aux);
	now = clock_steady();
	passed = now - s->last < LOOK_NS ? now - s->last : LOOK_NS;
	taken = lossless_taken(c->recording);
	s->still = taken == s->taken ? s->still + passed : 0;
	s->taken = taken;
	s->last = now;
	lossless_stand_tick(c, s);
}

static void lossless_give_up(struct traced_cpu *c)
{
	struct recording *r = c->recording;

	c->given_up++;
	r->lossless_taken = lossless_taken(r);
	__atomic_store_n(&r->lossless_given_up, true, __ATOMIC_RELEASE);
}

/* Whether to stand on. Who has events to pause or to let go on goes on so far, as their counters
 * stand still here. */
static bool lossless_stand_on(struct traced_cpu *c, const struct stand *s)
{
	if (recording_switch_is_due(c))
		return false;
	if (c->waits && s->still >= TR_STAND_MS * NSEC_PER_MSEC)
		lossless_give_up(c);
	if (!lossless_may_stand(c))
		return false;
	if (c->waits && lossless_has_enough(c))
		lossless_set_waits(c, false);
	return c->waits || lossless_others_wait(c);
}

/* The time until here passed by the clock as it was; what clock_freeze_go() itself takes is passed
 * over by the new one. */
static void lossless_stand_go(struct traced_cpu *c, struct stand *s)
{
	uint64_t frozen;

	lossless_stand_pass(c, s);
	frozen = clock_freeze_go(c->cpu);
	if (!frozen)
		return;
	c->frozen += clock_span_to_ns(&machine_clock, frozen);
	context_frozen(&c->context, s->passed);
	lossless_stand_pass(c, s);
}

static void lossless_stand(struct traced_cpu *c)
{
	struct stand s = { .passed = arch_cycles(), .last = clock_steady() };

	s.tick = s.last + TICK_NS;
	s.taken = lossless_taken(c->recording);
	context_stand(&c->context);
	clock_freeze_stand(c->cpu);
	c->stands++;
	__atomic_store_n(&c->stands_now, true, __ATOMIC_RELAXED);
	if (c->waits) {
		ring_wake(&c->ring, TR_WAKEUP_FULL);
		lossless_signal_others(c);
	}
	while (lossless_stand_on(c, &s))
		lossless_stand_look(c, &s);
	lossless_set_waits(c, false);
	__atomic_store_n(&c->stands_now, false, __ATOMIC_RELAXED);
	lossless_stand_go(c, &s);
	context_go(&c->context);
}

static void lossless_look_now(struct traced_cpu *c)
{
	do {
		recording_switch_here(c);
		if (!lossless_may_stand(c))
			return;
		lossless_set_waits(c, lossless_is_low(c));
		if (!c->waits && !lossless_others_wait(c))
			return;
		lossless_stand(c);
	} while (recording_switch_is_due(c));
}

void lossless_look(struct traced_cpu *c)
{
	if (__atomic_load_n(&holds[c->cpu].held, __ATOMIC_RELAXED))
		__atomic_store_n(&holds[c->cpu].wanted, true, __ATOMIC_RELAXED);
	else
		lossless_look_now(c);
}

/* In the program's order, as this CPU's handlers see it. */
void lossless_hold(void)
{
	__atomic_store_n(&holds[arch_cpu()].held, true, __ATOMIC_RELAXED);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
}

void lossless_release(void)
{
	unsigned cpu = arch_cpu();

	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	__atomic_store_n(&holds[cpu].held, false, __ATOMIC_RELAXED);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	if (!__atomic_load_n(&holds[cpu].wanted, __ATOMIC_RELAXED))
		return;
	__atomic_store_n(&holds[cpu].wanted, false, __ATOMIC_RELAXED);
	arch_cpu_signal(cpu);
}

/* perf_event's await_room. */
static bool lossless_await(struct perf_event *event, uint64_t bytes)
{
	struct traced_cpu *c = recording_here();

	if (!c || c->aux_event != event || !lossless_may_stand(c))
		return false;
	c->aux_wanted = bytes;
	lossless_look_now(c);
	c->aux_wanted = 0;
	return lossless_may_stand(c);
}

/* ---- From start to end ---- */

static void lossless_gate(const struct arch_regs *regs)
{
	struct traced_cpu *c = recording_here();

	if (c && arch_interrupts_thread(regs))
		lossless_look(c);
}

/* Whether the clock can stand for all that asks it. */
static int lossless_check(const struct traced_cpu *c)
{
	struct recording *r = c->recording;

	if (r->command->lossless != LOSSLESS_FREEZE)
		return 0;
	if (c->aux_event)
		return recording_fail(r, -EOPNOTSUPP,
		                      "--lossless=freeze: an AUX area is filled by another clock "
		                      "than the one that stands: --lossless");
	if (r->cpus->cpu)
		return recording_fail(r, -EINVAL,
		                      "--lossless=freeze: the workload runs on CPU 0, which is not "
		                      "recorded and does not stand: -a, or -C with 0");
	return 0;
}

int lossless_open(struct traced_cpu *c)
{
	uint64_t reserve = 0, pages = 1;
	int code = lossless_check(c);

	if (code || !c->recording->command->lossless)
		return code;
	for (unsigned i = 0; i < c->recording->nr_events; i++) {
		reserve += sample_size_most(&c->events[i]) +
		           (c->events[i].aux ? AUX_RECORD_MAX : 0);
		/* a thread's marks, which may have read the clock before it stood */
		if (mark_is_event(&c->events[i].attr) &&
		    c->recording->command->lossless == LOSSLESS_FREEZE)
			c->ring.near = 0;
	}
	reserve *= RESERVE_TIMES;
	while (pages * TR_PAGE / ENOUGH_SHARE < reserve)
		pages *= 2;
	if (pages * TR_PAGE > c->ring.size)
		return recording_fail(
		    c->recording, -ENOSPC,
		    "--lossless wants rings of %lu pages for these events: -m %lu", pages, pages);
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

void lossless_tell(const struct recording *r)
{
	uint64_t given_up = 0;

	for (unsigned i = 0; i < r->nr_cpus; i++)
		given_up += r->cpus[i].given_up;
	if (given_up)
		console_printf(
		    "--lossless: nobody read for %u s, %lu times: gone on without, and "
		    "what found no room is lost\n",
		    TR_STAND_MS / 1000, given_up);
}
