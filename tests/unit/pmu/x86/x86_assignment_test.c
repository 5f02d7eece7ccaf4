/* SPDX-License-Identifier: MIT */
/* The assignment of counters: if any assignment fits all events, the events get one, in any order.
 * The test compares with a search of all assignments. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "pmu/context.h"
#include "pmu/x86/x86_assignment.h"
#include "pmu/x86/x86_counters.h"
#include "tests/event_switch.h"
#include "tests/unit/pmu/counter_rig.h"
#include "tests/unit/pmu/x86/intel_model.h"

#define model  (intel_models[0])
#define FIXED0 (1ULL << GLOBAL_FIXED)

/* ---- Every distribution ---- */

static bool any_distribution(const uint64_t *candidates, unsigned n, uint64_t left)
{
	if (!n)
		return true;
	for (uint64_t try = *candidates & left; try; try &= try - 1) {
		if (any_distribution(candidates + 1, n - 1, left & ~(try & -try)))
			return true;
	}
	return false;
}

/* ---- The search alone, on counters that are as unlike as may be ---- */

#define MOST 7U

static struct perf_event *holders[X86_COUNTERS];
static struct perf_event held[MOST];
static uint64_t wanted[MOST]; /* the events that have a counter */
static unsigned nr_held;

/* A random set of general and fixed counters. */
static uint64_t some_counters(void)
{
	return (uint64_t)(rand() & 7) | (uint64_t)(rand() & 7) << GLOBAL_FIXED;
}

static void claim(uint64_t candidates, uint64_t usable)
{
	struct x86_way way;
	unsigned counter = x86_find_counter(holders, candidates, usable, &way), moves = 0;
	bool possible;

	wanted[nr_held] = candidates;
	possible = any_distribution(wanted, nr_held + 1, usable);
	assert_true((counter != X86_COUNTERS) == possible);
	if (!possible)
		return;
	assert_null(holders[counter]);
	for (; !(candidates >> counter & 1); counter = way.giver[counter], moves++) {
		assert_true(x86_counter_of(holders[way.giver[counter]])->candidates >> counter & 1);
		holders[counter] = holders[way.giver[counter]];
		holders[way.giver[counter]] = NULL;
	}
	assert_true(usable >> counter & 1);
	assert_in_range(moves, 0, nr_held);
	holders[counter] = &held[nr_held];
	x86_counter_of(&held[nr_held++])->candidates = candidates;
}

static void an_event_is_turned_away_only_where_no_distribution_has_room(void **state)
{
	unsigned turned_away = 0, served = 0;

	(void)state;
	srand(7);
	for (unsigned round = 0; round < 20000; round++) {
		uint64_t usable = some_counters();

		memset(holders, 0, sizeof(holders));
		nr_held = 0;
		while (nr_held < MOST - 1 && rand() % 8) {
			unsigned before = nr_held;

			claim(some_counters(), usable);
			turned_away += nr_held == before;
			served += nr_held != before;
		}
	}
	assert_true(turned_away > 10000 && served > 10000);
}

/* ---- The driver ---- */

/* Raw events and the counters that can count them, of four general and three fixed counters. */
static const struct {
	uint64_t config, candidates;
} kinds[] = {
	{ 0x003c, 0xf | FIXED0 << 1 }, { 0x00c0, 0xf | FIXED0 }, { 0x0100, FIXED0 },
	{ 0x0200, FIXED0 << 1 },       { 0x0300, FIXED0 << 2 },  { 0x20c4, 0xf },
};
#define NR_KINDS (sizeof(kinds) / sizeof(kinds[0]))

/* Events of these kinds, in one group or in none. */
static void describe(const unsigned *kind, unsigned n, bool group)
{
	for (unsigned i = 0; i < n; i++) {
		struct perf_event *event = &rig_events[i];

		rig_describe(event, PERF_TYPE_RAW, kinds[kind[i]].config, 1000);
		if (group) {
			event->group_leader = rig_events;
			event->nr_members = i ? 0 : n;
		}
		assert_int_equal(event_init(event), 0);
	}
}

static bool fits(const unsigned *kind, unsigned n)
{
	uint64_t candidates[RIG_EVENTS];

	for (unsigned i = 0; i < n; i++)
		candidates[i] = kinds[kind[i]].candidates;
	return any_distribution(candidates, n, INTEL_MODEL_ALL);
}

static void check_places(const unsigned *kind, unsigned n)
{
	uint64_t taken = 0;

	for (unsigned i = 0; i < n; i++) {
		uint64_t counter = 1ULL << x86_counter_of(&rig_events[i])->counter;

		if (rig_events[i].state != EVENT_ACTIVE)
			continue;
		assert_true(counter & kinds[kind[i]].candidates & ~taken);
		taken |= counter;
	}
	assert_true(model.global_control == taken);
}

static void a_group_that_fits_is_counted_in_whatever_order_it_is_named(void **state)
{
	unsigned fitting = 0;

	(void)state;
	srand(8);
	for (unsigned round = 0; round < 2000; round++) {
		unsigned kind[RIG_EVENTS], n = 1 + (unsigned)rand() % RIG_EVENTS;
		struct perf_event_context context;
		const struct perf_event *failed;
		bool possible;

		intel_model_power_on(4, true);
		for (unsigned i = 0; i < n; i++)
			kind[i] = (unsigned)rand() % NR_KINDS;
		describe(kind, n, true);
		possible = fits(kind, n);
		fitting += possible;
		assert_int_equal(context_start(&context, rig_events, n, &failed),
		                 possible ? 0 : -EAGAIN);
		if (possible) {
			check_places(kind, n);
			context_stop(&context);
		}
		assert_int_equal(model.faults, 0);
	}
	assert_in_range(fitting, 200, 1800);
}

/* Events are added and removed one after the other, while the others count on. */
static void events_that_make_room_while_they_count_lose_nothing(void **state)
{
	uint64_t since[RIG_EVENTS] = { 0 }, now = 0, turned_away = 0, moved = 0;
	unsigned kind[RIG_EVENTS] = { 0 };

	(void)state;
	srand(9);
	intel_model_power_on(4, true);
	memset(rig_events, 0, sizeof(rig_events));
	for (unsigned round = 0; round < 2500; round++) {
		unsigned which = (unsigned)rand() % RIG_EVENTS, on[RIG_EVENTS], n = 0;
		struct perf_event *event = &rig_events[which];
		unsigned places[RIG_EVENTS];

		for (unsigned i = 0; i < RIG_EVENTS; i++) {
			places[i] = x86_counter_of(&rig_events[i])->counter;
			if (rig_events[i].state == EVENT_ACTIVE)
				on[n++] = kind[i];
		}
		if (event->state == EVENT_ACTIVE) {
			event_disable(event);
			assert_int_equal(event->count, now - since[which]);
			assert_int_equal(event->account.period + (event->count - event->sampled),
			                 event->count);
			assert_int_equal(event->account.generated, event->count / 1000);
		} else {
			int code;

			on[n++] = kind[which] = (unsigned)rand() % NR_KINDS;
			rig_describe(event, PERF_TYPE_RAW, kinds[kind[which]].config, 1000);
			assert_int_equal(event_init(event), 0);
			code = event_enable(event);
			assert_int_equal(code, fits(on, n) ? 0 : -EAGAIN);
			turned_away += code != 0;
			since[which] = now;
		}
		for (unsigned i = 0; i < RIG_EVENTS; i++)
			moved += i != which && rig_events[i].state == EVENT_ACTIVE &&
			         x86_counter_of(&rig_events[i])->counter != places[i];
		check_places(kind, RIG_EVENTS);
		rig_run((uint64_t)rand() % 3000, 1, intel_model_count_on);
		now = host_fake_cycles - 1;
	}
	assert_true(turned_away > 150);
	assert_true(moved > 50);
	assert_int_equal(model.faults, 0);
	for (unsigned i = 0; i < RIG_EVENTS; i++)
		event_disable(&rig_events[i]);
}

/* { cycles or instructions, an event that only the same fixed counter counts }, in either order. */
static void events_that_fit_do_not_take_turns(void **state)
{
	static const unsigned orders[][3] = { { 0, 3, 5 }, { 3, 0, 5 }, { 1, 2, 3 }, { 5, 1, 2 } };

	(void)state;
	for (unsigned i = 0; i < 4; i++) {
		struct perf_event_context context;
		const struct perf_event *failed;

		intel_model_power_on(4, true);
		describe(orders[i], 3, false);
		assert_int_equal(context_start(&context, rig_events, 3, &failed), 0);
		check_places(orders[i], 3);
		rig_run(10000, 1, intel_model_count_on);
		context_stop(&context);
		for (unsigned e = 0; e < 3; e++) {
			assert_false(rig_events[e].rotates);
			assert_int_equal(rig_events[e].count, 10000);
			assert_int_equal(rig_events[e].account.generated, 10);
		}
	}
}

/* In each turn as many events count as possible, because any events can run together. */
static void turns_leave_no_counter_idle_for_which_an_event_waits(void **state)
{
	(void)state;
	srand(10);
	for (unsigned round = 0; round < 300; round++) {
		struct perf_event_context context;
		const struct perf_event *failed;
		unsigned kind[RIG_EVENTS];

		intel_model_power_on(4, true);
		assert_int_equal(timer_init(), 0);
		for (unsigned i = 0; i < RIG_EVENTS; i++)
			kind[i] = (unsigned)rand() % NR_KINDS;
		describe(kind, RIG_EVENTS, false);
		assert_int_equal(context_start(&context, rig_events, RIG_EVENTS, &failed), 0);
		for (unsigned turn = 0; turn < 2 * RIG_EVENTS; turn++) {
			unsigned on[RIG_EVENTS + 1], n = 0;

			check_places(kind, RIG_EVENTS);
			for (unsigned i = 0; i < RIG_EVENTS; i++) {
				if (rig_events[i].state == EVENT_ACTIVE)
					on[n++] = kind[i];
			}
			for (unsigned i = 0; i < RIG_EVENTS; i++) {
				on[n] = kind[i];
				assert_true(rig_events[i].state == EVENT_ACTIVE ||
				            !fits(on, n + 1));
			}
			fake_cpu_run(MUX_INTERVAL_NS, 0, &rig_regs);
		}
		context_stop(&context);
		for (unsigned i = 0; i < RIG_EVENTS; i++)
			assert_true(rig_events[i].time_running > 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_event_is_turned_away_only_where_no_distribution_has_room),
		cmocka_unit_test(a_group_that_fits_is_counted_in_whatever_order_it_is_named),
		cmocka_unit_test(events_that_make_room_while_they_count_lose_nothing),
		cmocka_unit_test(events_that_fit_do_not_take_turns),
		cmocka_unit_test(turns_leave_no_counter_idle_for_which_an_event_waits),
	};

	return cmocka_run_group_tests(tests, NULL, intel_model_off);
}
