/* SPDX-License-Identifier: MIT */
/* NMIs that come after an interrupt's delivery, before its handler has hidden the counters and
 * runs. */
#include "tests/event_switch.h"
#include "tests/unit/pmu/x86/bts_rig.h"

#define SEGMENT 170U /* records of a quarter of the area */
#define MOST    6U   /* free places; more than the number of deliveries */

/* So many segments are full and unread; the next one has so many free places, and its PMI is late.
 * */
static void fill(unsigned segments, unsigned places)
{
	power_on(0);
	start(1 << 14);
	branches((uint64_t)segments * SEGMENT);
	while (aux.records < segments)
		branches(1);
	bts_cpu.late = UINT32_MAX;
	while (intel_bts_of(&event)->area.open.end - intel_bts_of(&event)->area.open.index > places)
		branches(1);
}

static void end(void)
{
	event_disable(&event);
	assert_accounted();
}

static void each_delivery_is_booked_once_whatever_places_are_left(void **state)
{
	(void)state;
	for (unsigned nmis = 0; nmis < 4; nmis++) {
		for (unsigned places = 0; places < MOST; places++) {
			fill(0, places);
			interrupted_tick(&event, nmis);
			assert_int_equal(aux.records, 1);
			branches(20);
			end();
		}
	}
}

static void and_where_branches_have_been_lost_before(void **state)
{
	(void)state;
	for (unsigned nmis = 0; nmis < 4; nmis++) {
		fill(0, 0);
		branches(7);
		interrupted_tick(&event, nmis);
		branches(20);
		end();
		assert_true(event.branches.lost >= 7);
	}
}

static void an_nmi_that_ends_the_trace_for_lack_of_room_leaves_nothing_unaccounted(void **state)
{
	(void)state;
	for (unsigned read = 0; read < 2; read++) {
		for (unsigned nmis = 1; nmis < 4; nmis++) {
			for (unsigned places = 0; places < MOST; places++) {
				fill(3, places);
				interrupted_tick(&event, nmis);
				assert_int_equal(aux.truncated, 1);
				assert_int_equal(bts_cpu.debugctl, 0);
				branches(20);
				interrupted_tick(&event, nmis); /* while nothing is traced */
				if (read)
					read_all();
				interrupted_tick(&event, nmis);
				branches(20);
				interrupted_tick(&event, 0);
				end();
			}
		}
	}
}

static void without_a_segment_that_is_full_none_is_lost(void **state)
{
	(void)state;
	for (unsigned nmis = 0; nmis < 4; nmis++) {
		power_on(0);
		start(AREA);
		for (unsigned i = 0; i < 20; i++) {
			branches(10);
			interrupted_tick(&event, nmis);
			interrupt(NULL);
			read_all();
		}
		end();
		assert_int_equal(event.branches.interrupts, 20 * (nmis + 2));
		assert_int_equal(event.branches.lost, 0);
	}
}

static void counters_that_miss_branches_make_the_loss_unknown_and_not_negative(void **state)
{
	(void)state;
	fill(0, 10);
	bts_cpu.no_taken_event = true;
	branches(10);
	bts_cpu.no_taken_event = false;
	interrupt(&event);
	branches(20);
	event_disable(&event);
	assert_true(event.branches.unknown);
	assert_int_equal(event.branches.lost, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(each_delivery_is_booked_once_whatever_places_are_left,
		                          no_faults),
		cmocka_unit_test_teardown(and_where_branches_have_been_lost_before, no_faults),
		cmocka_unit_test_teardown(
		    an_nmi_that_ends_the_trace_for_lack_of_room_leaves_nothing_unaccounted,
		    no_faults),
		cmocka_unit_test_teardown(without_a_segment_that_is_full_none_is_lost, no_faults),
		cmocka_unit_test_teardown(
		    counters_that_miss_branches_make_the_loss_unknown_and_not_negative, no_faults),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
