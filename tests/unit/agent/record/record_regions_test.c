/* SPDX-License-Identifier: MIT */
/* Counts between a program's marks, and their report. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "agent/record/record_regions.h"
#include "arch/host/fake_cpu.h"
#include "lib/print.h"
#include "pmu/clock/clock.h"
#include "pmu/mark.h"
#include "pmu/timer.h"

#define EVENTS  3U
#define OWN     7U /* counts that the marks of a region add to each event */
#define OWN_NS  40U
#define REGIONS (REGION_MOST + 1)

static struct recording recording;
static struct traced_cpu cpu;
static struct perf_event events[EVENTS];
static uint64_t counters[EVENTS];
static char reported[REGIONS + 1][200];
static unsigned nr_reported;

void mark_report(struct perf_event *event, const char *text)
{
	assert_ptr_equal(event, &events[EVENTS - 1]);
	print_text(reported[nr_reported++], sizeof(reported[0]), "%s", text);
}

#define HANDLER 21U /* counts that a timer interrupt adds */

static unsigned interrupts_each; /* every so-manieth look is interrupted by the timer; 0: none */

static uint64_t peek(const struct perf_event *event)
{
	static unsigned looks;

	if (event == events && interrupts_each && ++looks % interrupts_each == 0) {
		timer_interrupts[0]++;
		counters[0] += HANDLER;
		counters[1] += 10 * HANDLER;
	}
	return counters[event - events] + event->count;
}

static const struct pmu counting = { .peek = peek }, blind;

static void pass(uint64_t count, uint64_t ns)
{
	counters[0] += count;
	counters[1] += 10 * count;
	host_fake_cycles += ns;
}

static void begin(const char *name)
{
	regions_begin(name, REGION_NAME);
	pass(OWN, OWN_NS);
}

static void end(const char *name)
{
	regions_end(name, REGION_NAME);
}

static void calibrate(uint64_t interrupted)
{
	begin("");
	pass(interrupted, interrupted);
	end("");
}

static int set_up(void **state)
{
	(void)state;
	memset(&recording, 0, sizeof(recording));
	memset(&cpu, 0, sizeof(cpu));
	memset(events, 0, sizeof(events));
	memset(counters, 0, sizeof(counters));
	memset(reported, 0, sizeof(reported));
	nr_reported = interrupts_each = 0;
	host_fake_cycles = 1000;
	clock_set(&machine_clock, NSEC_PER_SEC, 0);
	recording.nr_events = EVENTS;
	cpu.recording = &recording;
	cpu.events = events;
	for (unsigned i = 0; i < EVENTS; i++) {
		events[i].pmu = i == EVENTS - 1 ? &blind : &counting;
		events[i].state = EVENT_ACTIVE;
	}
	events[EVENTS - 1].attr.type = PERF_TYPE_SOFTWARE;
	events[EVENTS - 1].attr.config = PERF_COUNT_SW_BPF_OUTPUT;
	return regions_open(&cpu);
}

static int tear_down(void **state)
{
	(void)state;
	regions_close(&cpu);
	return 0;
}

static void says(unsigned number, const char *text)
{
	assert_true(number < nr_reported);
	assert_string_equal(reported[number], text);
}

static void the_marks_overhead_is_subtracted(void **state)
{
	(void)state;
	calibrate(5000); /* an interrupt came in between */
	calibrate(0);
	calibrate(3);
	begin("a");
	pass(100, 1000);
	end("a");
	begin("a");
	pass(11, 1);
	end("a");
	regions_report(&cpu);
	assert_int_equal(nr_reported, 1);
	says(0, "region 2 1001 111,1110,- a");
}

static void interrupted(uint64_t times)
{
	timer_interrupts[0] += times;
	pass(times * HANDLER, times * 500);
}

/* The overhead is subtracted from the events' counts, but not from the time, which has really
 * passed. */
static void the_overhead_of_timer_interrupts_is_subtracted(void **state)
{
	(void)state;
	interrupts_each = 4;
	calibrate(0);
	calibrate(0);
	interrupts_each = 0;
	calibrate(0);
	begin("a");
	pass(100, 1000);
	interrupted(3);
	end("a");
	interrupted(1);
	begin("b");
	pass(50, 100);
	end("b");
	regions_report(&cpu);
	says(0, "region 1 2500 100,1000,- a");
	says(1, "region 1 100 50,500,- b");
}

static void regions_nest_and_the_outer_one_has_the_inner_marks(void **state)
{
	(void)state;
	calibrate(0);
	begin("a");
	pass(1, 1);
	begin("b");
	pass(2, 2);
	begin("a"); /* inside itself */
	pass(4, 4);
	end("a");
	end("b");
	end("a");
	regions_report(&cpu);
	assert_int_equal(nr_reported, 2);
	/* 7 for the region's own marks, as much for each of the two other regions, and 4 */
	says(0, "region 2 91 25,250,- a");
	says(1, "region 1 46 13,130,- b");
}

static void ends_without_a_beginning_and_beginnings_without_an_end_are_reported(void **state)
{
	(void)state;
	end("a");
	begin("b");
	begin("never ends");
	end("b");
	begin("is open at the end");
	regions_report(&cpu);
	assert_int_equal(nr_reported, 2);
	says(0, "region 1 80 14,140,- b");
	says(1, "unmatched 2");
}

static void regions_without_room_are_reported(void **state)
{
	char name[REGION_NAME + 1];

	(void)state;
	for (unsigned i = 0; i < REGIONS; i++) {
		print_text(name, sizeof(name), "region number %u", i);
		begin(name);
		end(name);
	}
	for (unsigned i = 0; i < REGION_DEPTH + 1; i++)
		begin("region number 0");
	for (unsigned i = 0; i < REGION_DEPTH; i++)
		end("region number 0");
	memset(name, 'n', sizeof(name)); /* the program's name may lack a NUL */
	regions_begin(name, REGION_NAME);
	regions_end(name, REGION_NAME);
	regions_report(&cpu);
	assert_int_equal(nr_reported, REGION_MOST + 1);
	assert_memory_equal(reported[0], "region 17 ", 10);
	/* too many: one name, one level, one character of a name; the ends of the first and the
	 * last count as well */
	says(REGION_MOST, "unmatched 5");
}

static void marks_of_handlers_are_left_out(void **state)
{
	(void)state;
	cpu.regions->busy = true;
	begin("handler");
	end("handler");
	cpu.regions->busy = false;
	regions_report(&cpu);
	assert_int_equal(nr_reported, 0);
}

/* The C library calibrates like this: all of it is inside a region without a name. The outer
 * region, and the marks in between, are the same as without a calibration. */
static void a_calibration_is_in_no_total_and_in_no_outer_region(void **state)
{
	(void)state;
	begin("a");
	pass(100, 1000);
	interrupts_each = 4;
	begin("");
	for (unsigned i = 0; i < 3; i++) {
		pass(30, 30);
		calibrate(0);
	}
	end("");
	interrupts_each = 0;
	pass(50, 1000);
	end("a");
	regions_report(&cpu);
	assert_int_equal(nr_reported, 1);
	assert_memory_equal(reported[0], "region 1 ", 9);
	assert_non_null(strstr(reported[0], " 150,1500,- a"));
	/* including the interrupts in the first and in the last look */
	assert_in_range(counters[0] + events[0].count, 150 + OWN, 150 + OWN + 2 * HANDLER);
}

/* These counts are in no unnamed region: the interrupts' overhead is measured in the first region
 * of all. */
static void the_cost_of_timer_interrupts_is_measured_outside_of_the_totals(void **state)
{
	(void)state;
	interrupts_each = 4;
	begin("a");
	end("a");
	interrupts_each = 0;
	begin("a");
	pass(100, 1000);
	end("a");
	regions_report(&cpu);
	assert_in_range(counters[0] + events[0].count, 100 + 2 * OWN, 100 + 2 * OWN + 2 * HANDLER);
}

/* A program that stops and starts its recording within its deepest region. */
static void a_calibration_has_room_in_the_deepest_region(void **state)
{
	(void)state;
	for (unsigned i = 0; i < REGION_DEPTH; i++)
		begin("a");
	begin("");
	calibrate(0);
	end("");
	for (unsigned i = 0; i < REGION_DEPTH; i++)
		end("a");
	regions_report(&cpu);
	assert_int_equal(nr_reported, 1);
	assert_memory_equal(reported[0], "region 16 ", 10);
}

/* In a recording that begins paused, events are off. */
static void the_cost_of_interrupts_is_not_measured_before_an_event_counts(void **state)
{
	(void)state;
	events[0].state = events[1].state = EVENT_OFF;
	regions_learn();
	calibrate(0);
	assert_false(cpu.regions->learned);
	events[0].state = events[1].state = EVENT_ACTIVE;
	interrupts_each = 4;
	regions_learn();
	assert_true(cpu.regions->learned);
	regions_report(&cpu);
	assert_in_range(counters[0] + events[0].count, OWN, OWN + 2 * HANDLER);
	assert_int_equal(cpu.regions->handler[0], HANDLER);
}

/* Regions inside an outer one that has ended are left out, but later ones are not. */
static void a_calibration_that_never_ends_is_left_out_to_the_outer_end(void **state)
{
	(void)state;
	calibrate(0);
	begin("a");
	pass(1, 1);
	begin("");
	pass(2000, 1);
	end("a");
	pass(40, 1);
	regions_report(&cpu);
	assert_int_equal(counters[0] + events[0].count, OWN + 1 + 40);
}

/* While an event is paused its count does not change, and its source is not asked. */
static void an_event_that_pauses_counts_nothing(void **state)
{
	(void)state;
	events[0].count = 500;
	events[0].state = EVENT_OFF;
	begin("a");
	pass(100, 10);
	end("a");
	regions_report(&cpu);
	says(0, "region 1 50 0,1070,- a");
}

static void a_cpu_that_counts_no_marks_reports_nothing(void **state)
{
	(void)state;
	regions_close(&cpu);
	events[EVENTS - 1].attr.sample_period = 1; /* sampled, not counted */
	assert_int_equal(regions_open(&cpu), 0);
	assert_null(cpu.regions);
	begin("a");
	end("a");
	regions_report(&cpu);
	assert_int_equal(nr_reported, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(the_marks_overhead_is_subtracted, set_up,
		                                tear_down),
		cmocka_unit_test_setup_teardown(the_overhead_of_timer_interrupts_is_subtracted,
		                                set_up, tear_down),
		cmocka_unit_test_setup_teardown(regions_nest_and_the_outer_one_has_the_inner_marks,
		                                set_up, tear_down),
		cmocka_unit_test_setup_teardown(
		    ends_without_a_beginning_and_beginnings_without_an_end_are_reported, set_up,
		    tear_down),
		cmocka_unit_test_setup_teardown(regions_without_room_are_reported, set_up,
		                                tear_down),
		cmocka_unit_test_setup_teardown(marks_of_handlers_are_left_out, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_calibration_is_in_no_total_and_in_no_outer_region,
		                                set_up, tear_down),
		cmocka_unit_test_setup_teardown(
		    the_cost_of_timer_interrupts_is_measured_outside_of_the_totals, set_up,
		    tear_down),
		cmocka_unit_test_setup_teardown(
		    the_cost_of_interrupts_is_not_measured_before_an_event_counts, set_up,
		    tear_down),
		cmocka_unit_test_setup_teardown(a_calibration_has_room_in_the_deepest_region,
		                                set_up, tear_down),
		cmocka_unit_test_setup_teardown(
		    a_calibration_that_never_ends_is_left_out_to_the_outer_end, set_up, tear_down),
		cmocka_unit_test_setup_teardown(an_event_that_pauses_counts_nothing, set_up,
		                                tear_down),
		cmocka_unit_test_setup_teardown(a_cpu_that_counts_no_marks_reports_nothing, set_up,
		                                tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
