/* SPDX-License-Identifier: MIT */
/* From a branch trace's full segment to the next. */
#include "tests/event_switch.h"
#include "tests/unit/pmu/x86/bts_rig.h"

static void a_segment_switch_costs_the_same_whatever_the_size(void **state)
{
	uint64_t cost[2];

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		power_on(0);
		start(i ? AREA : 1 << 16);
		while (!bts_cpu.pmi)
			branches(1);
		cost[i] = bts_cpu.registers;
		branches(1);
		cost[i] = bts_cpu.registers - cost[i];
		event_disable(&event);
	}
	assert_int_equal(cost[0], cost[1]);
}

static uint32_t asked;
static unsigned attended;
static bool heeds;

static void attend(struct perf_event *of)
{
	attended++;
	if (heeds)
		of->heard = asked;
}

/* So many branches, and a reader that keeps up. */
static void go_round(uint64_t size, uint64_t n)
{
	memset(memory, 0, size);
	power_on(2);
	assert_int_equal(open_trace(size, 0), 0);
	event.attend = attend;
	event.asked = &asked;
	assert_int_equal(event_enable(&event), 0);
	while (bts_cpu.retired < n) {
		branches(100);
		read_all();
	}
	event_disable(&event);
	assert_int_equal(event.branches.lost, 0);
	assert_accounted();
}

/* Each has a pending request that nobody answers, so every switch takes the general path. */
static void every_switch_has_the_result_of_the_general_path(void **state)
{
	static uint8_t general[AREA];
	static uint64_t reported[1 << 17];

	(void)state;
	for (uint64_t size = 1 << 14; size <= AREA; size *= 2) {
		uint64_t n = 3 * size / sizeof(struct branch_record), head, skipped, causes;

		heeds = false;
		asked = 1;
		attended = 0;
		go_round(size, n);
		assert_true(attended > 3 * 3 && attended == aux.records - 1);
		head = aux.head;
		skipped = aux.skipped;
		causes = owner.causes[TR_WAKEUP_AUX];
		memcpy(general, memory, size);
		memcpy(reported, data, sizeof(data));
		asked = 0;
		go_round(size, n);
		assert_int_equal(attended, aux.records - 1);
		assert_int_equal(aux.head, head);
		assert_int_equal(aux.skipped, skipped);
		assert_true(skipped > 0);
		assert_memory_equal(memory, general, size);
		assert_memory_equal(data, reported, ring.published);
		/* one cause, if both the segment's end and the area's end are watermarks */
		assert_in_range(owner.causes[TR_WAKEUP_AUX], causes - 3, causes);
	}
}

static void a_request_is_served_once_at_the_next_switch(void **state)
{
	(void)state;
	heeds = true;
	asked = 0;
	attended = 0;
	power_on(0);
	assert_int_equal(open_trace(1 << 16, 0), 0);
	event.attend = attend;
	event.asked = &asked;
	assert_int_equal(event_enable(&event), 0);
	while (aux.records < 2)
		branches(1);
	assert_int_equal(attended, 0);
	asked = 5;
	while (aux.records < 3)
		branches(1);
	assert_int_equal(attended, 1);
	while (aux.records < 5)
		branches(1);
	assert_int_equal(attended, 1);
	event_disable(&event);
	assert_accounted();
}

static unsigned waits;

static bool await_room(struct perf_event *of, uint64_t bytes)
{
	assert_ptr_equal(of, &event);
	waits++;
	read_all();
	assert_in_range(bytes, 1, ring_aux_room(&aux));
	return true;
}

/* Nobody reads except in the wait for room. */
static void while_the_cpu_waits_no_segment_is_cut(void **state)
{
	(void)state;
	for (unsigned late = 0; late <= 40; late += 20) { /* within the margin */
		power_on(late);
		assert_int_equal(open_trace(1 << 14, 0), 0);
		event.await_room = await_room;
		assert_int_equal(event_enable(&event), 0);
		waits = 0;
		branches(20000);
		event_disable(&event);
		assert_int_equal(event.branches.lost, 0);
		assert_int_equal(aux.truncated, 0);
		assert_true(waits >= 20000 / 170);
		assert_accounted();
	}
}

static bool await_the_end(struct perf_event *of, uint64_t bytes)
{
	(void)bytes;
	event_disable(of);
	return false;
}

static void the_event_may_be_stopped_while_it_waits(void **state)
{
	(void)state;
	power_on(0);
	assert_int_equal(open_trace(1 << 14, 0), 0);
	event.await_room = await_the_end;
	assert_int_equal(event_enable(&event), 0);
	branches(1000);
	assert_int_equal(event.state, EVENT_OFF);
	assert_int_equal(aux.truncated, 0);
	assert_int_equal(aux.records, 1);
	assert_false(aux.busy);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(a_segment_switch_costs_the_same_whatever_the_size,
		                          no_faults),
		cmocka_unit_test_teardown(every_switch_has_the_result_of_the_general_path,
		                          no_faults),
		cmocka_unit_test_teardown(a_request_is_served_once_at_the_next_switch, no_faults),
		cmocka_unit_test_teardown(while_the_cpu_waits_no_segment_is_cut, no_faults),
		cmocka_unit_test_teardown(the_event_may_be_stopped_while_it_waits, no_faults),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
