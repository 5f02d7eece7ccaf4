/* SPDX-License-Identifier: MIT */
/* A branch trace made by software, from steps that the test makes. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "arch/host/fake_cpu.h"
#include "pmu/clock/clock.h"
#include "pmu/sample.h"
#include "pmu/software/branch_step.h"
#include "tests/event_switch.h"

#define AREA (1U << 14)

static struct perf_event_mmap_page control;
static uint64_t data[1 << 14], scratch[RING_LEVELS * 2048 / 8];
static uint8_t memory[AREA] __attribute__((aligned(4096)));
static struct ring ring;
static struct tr_doorbell doorbell;
static struct ring_owner owner;
static struct ring_aux aux;
static struct perf_event event;

static void prepare(void)
{
	host_fake_cycles = 1;
	clock_set(&machine_clock, 1000000000, 0);
	memset(&doorbell, 0, sizeof(doorbell));
	memset(&control, 0, sizeof(control));
	memset(&event, 0, sizeof(event));
	owner = (struct ring_owner){ .doorbell = &doorbell };
	assert_int_equal(ring_init(&ring, &(struct ring_config){ .control = &control,
	                                                         .data = data,
	                                                         .size = sizeof(data),
	                                                         .max_record = 2048,
	                                                         .owner = &owner,
	                                                         .scratch = scratch }),
	                 0);
	event.attr = (struct perf_event_attr){
		.type = PERF_TYPE_BRANCH_STEP,
		.size = sizeof(event.attr),
		.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TIME,
		.sample_max_stack = 1,
	};
	event.ring = &ring;
	event.aux = &aux;
}

static void start(void)
{
	prepare();
	assert_int_equal(event_init(&event), 0);
	assert_int_equal(ring_aux_init(&aux, &ring, &event.account,
	                               &(struct ring_aux_config){ .area = memory, .size = AREA }),
	                 0);
	assert_int_equal(pmu_branch_step.setup_aux(&event, memory, AREA), 0);
	assert_int_equal(aux.watermark, AREA / 4); /* a segment */
	assert_int_equal(event_enable(&event), 0);
	assert_int_equal(fake_steps, 1);
}

static void steps(uint64_t first, uint64_t n)
{
	for (uint64_t i = 0; i < n; i++)
		fake_step_ops->taken(first + i, ~(first + i));
}

static void stop(uint64_t taken)
{
	event_disable(&event);
	assert_int_equal(fake_steps, 0);
	assert_int_equal(event.count, taken);
	assert_int_equal(event.branches.records + event.branches.lost, taken);
	assert_int_equal(event.branches.records * sizeof(struct branch_record),
	                 aux.head - aux.skipped);
	assert_int_equal(event.branches.lost * sizeof(struct branch_record), aux.lost);
	fake_step_ops->taken(1, 2); /* of nobody */
	fake_step_ops->missed(3);
	assert_int_equal(event.count, taken);
}

static void each_step_is_a_record_in_its_order(void **state)
{
	const struct branch_record *records = (const struct branch_record *)(const void *)memory;

	(void)state;
	start();
	steps(1000, 400);
	stop(400);
	assert_int_equal(event.branches.records, 400);
	for (unsigned i = 0; i < 400; i++) {
		assert_int_equal(records[i].from, 1000 + i);
		assert_int_equal(records[i].to, ~(uint64_t)(1000 + i));
	}
	assert_int_equal(aux.records, 3); /* segments of 170 records */
}

static void the_event_is_opened_as_perfs_decoder_expects(void **state)
{
	(void)state;
	prepare();
	event.attr.sample_period = 77;
	event.attr.flags = PERF_ATTR_FREQ;
	assert_int_equal(event_init(&event), 0);
	assert_int_equal(event.attr.sample_period, 1);
	assert_int_equal(event.attr.flags & PERF_ATTR_FREQ, 0);
}

static void bytes_without_room_are_counted_and_the_tick_continues(void **state)
{
	(void)state;
	start();
	steps(0, 1000);
	assert_int_equal(aux.truncated, 1);
	assert_true(doorbell.pending);
	assert_true(event.branches.lost > 300);
	pmu_branch_step.poll(&event);
	steps(0, 10);
	assert_int_equal(event.branches.lost, 1010 - event.branches.records);
	control.aux_tail = control.aux_head;
	pmu_branch_step.poll(&event);
	steps(0, 10);
	assert_int_equal(event.branches.lost + event.branches.records, 1010);
	stop(1020);
}

/* Room is computed from the reader's present tail, not from the one when the segment was opened. */
static void there_is_room_for_another_segment_once_one_was_read(void **state)
{
	struct branch_area *area = &branch_step_of(&event)->area;

	(void)state;
	start();
	steps(0, 3 * 170 + 1); /* the fourth segment is open, and it is the last */
	assert_int_equal(aux.records, 3);
	assert_false(branch_area_has_next(area, area->open.end));
	control.aux_tail = control.aux_head;
	assert_true(branch_area_has_next(area, area->open.end));
	event_disable(&event);
}

/* From a full segment to the next: closed and opened in one step, unless the data ring needs
 * attention. */
static void the_common_path_is_open_until_a_report_is_due(void **state)
{
	struct branch_area *area = &branch_step_of(&event)->area;
	unsigned usual = 0;

	(void)state;
	start();
	for (unsigned i = 0; i < 100; i++) {
		struct branch_record *end = area->open.end;
		uint64_t *trailer = branch_area_try(area, end);

		if (trailer) {
			usual++;
			ring_aux_go_on(&area->out);
		} else {
			branch_area_close(area, end, 0);
			assert_true(branch_area_open(area));
		}
		assert_true(area->open.base == end || area->open.base == area->first);
		control.aux_tail = control.aux_head;
		control.data_tail = control.data_head;
	}
	assert_in_range(usual, 90, 99);
	ring_aux_flag(&area->out, PERF_AUX_FLAG_PARTIAL);
	assert_null(branch_area_try(area, area->open.end));
	event_disable(&event);
}

static unsigned waits;
static bool in_vain;

/* A reader that takes everything when the CPU waits for room. */
static bool await_room(struct perf_event *of, uint64_t bytes)
{
	assert_ptr_equal(of, &event);
	assert_in_range(bytes, 0, AREA);
	if (!bytes || in_vain)
		return !in_vain;
	waits++;
	control.aux_tail = aux.head;
	assert_in_range(bytes, 1, ring_aux_room(&aux));
	return true;
}

static void while_the_cpu_waits_nothing_is_lost(void **state)
{
	(void)state;
	start();
	event.await_room = await_room;
	waits = 0;
	steps(0, 5000);
	stop(5000);
	assert_int_equal(event.branches.lost, 0);
	assert_int_equal(aux.truncated, 0);
	assert_in_range(waits, 5000 / 170, 5000 / 85);
}

static void after_a_vain_wait_branches_are_lost_as_usual(void **state)
{
	(void)state;
	start();
	event.await_room = await_room;
	in_vain = true;
	steps(0, 1000);
	in_vain = false;
	assert_int_equal(aux.truncated, 1);
	assert_true(event.branches.lost > 300);
	stop(1000);
}

static bool await_the_end(struct perf_event *of, uint64_t bytes)
{
	if (bytes)
		event_disable(of);
	return !bytes;
}

static void the_event_may_be_stopped_while_it_waits(void **state)
{
	(void)state;
	start();
	event.await_room = await_the_end;
	steps(0, 1000);
	stop(AREA / 4 / sizeof(struct branch_record));
	assert_int_equal(aux.records, 1);
	assert_int_equal(aux.truncated, 0);
	assert_false(aux.busy);
}

static void the_first_piece_is_partial(void)
{
	assert_int_equal((uint32_t)data[0], PERF_RECORD_AUX);
	assert_int_equal(data[3], PERF_AUX_FLAG_PARTIAL); /* header, offset, size, flags */
}

/* Code that cannot be stepped runs without a stop: the ISA may or may not know how many branches it
 * took. */
static void branches_that_are_not_seen_are_lost_and_their_piece_is_partial(void **state)
{
	(void)state;
	start();
	steps(0, 10);
	fake_step_ops->missed(2);
	steps(10, 10);
	stop(22);
	assert_int_equal(event.branches.lost, 2);
	the_first_piece_is_partial();
	assert_false(event.branches.unknown);
	start();
	steps(0, 10);
	fake_step_ops->missed(ARCH_MISSED_UNKNOWN);
	stop(10);
	the_first_piece_is_partial();
	assert_true(event.branches.unknown);
}

static void the_tick_looks_whether_stepping_goes_on(void **state)
{
	(void)state;
	start();
	fake_step_looks = 0;
	pmu_branch_step.poll(&event);
	assert_int_equal(fake_step_looks, 1);
	event_disable(&event);
}

static void a_cpu_that_cannot_be_stepped_gives_its_reason(void **state)
{
	(void)state;
	prepare();
	assert_int_equal(event_init(&event), 0);
	fake_step_refuses = -EOPNOTSUPP;
	assert_int_equal(pmu_branch_step.add(&event), -EOPNOTSUPP);
	assert_non_null(event.why);
	fake_step_refuses = 0;
}

static void impossible_requests_are_refused(void **state)
{
	const char *why;

	(void)state;
	prepare();
	event.attr.flags = PERF_ATTR_EXCLUDE_USER;
	assert_int_equal(event_init(&event), -EOPNOTSUPP);
	prepare();
	event.attr.config = 1;
	assert_int_equal(event_init(&event), -EINVAL);
	prepare();
	fake_no_step = true;
	assert_int_equal(event_init(&event), -ENODEV);
	assert_int_equal(pmu_branch_step.probe(&why), -ENODEV);
	assert_non_null(why);
	fake_no_step = false;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_step_is_a_record_in_its_order),
		cmocka_unit_test(the_event_is_opened_as_perfs_decoder_expects),
		cmocka_unit_test(bytes_without_room_are_counted_and_the_tick_continues),
		cmocka_unit_test(there_is_room_for_another_segment_once_one_was_read),
		cmocka_unit_test(the_common_path_is_open_until_a_report_is_due),
		cmocka_unit_test(while_the_cpu_waits_nothing_is_lost),
		cmocka_unit_test(after_a_vain_wait_branches_are_lost_as_usual),
		cmocka_unit_test(the_event_may_be_stopped_while_it_waits),
		cmocka_unit_test(branches_that_are_not_seen_are_lost_and_their_piece_is_partial),
		cmocka_unit_test(the_tick_looks_whether_stepping_goes_on),
		cmocka_unit_test(a_cpu_that_cannot_be_stepped_gives_its_reason),
		cmocka_unit_test(impossible_requests_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
