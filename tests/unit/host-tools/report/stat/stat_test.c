/* SPDX-License-Identifier: MIT */
/* The output of `stat` from a ledger: sums, scaling, and the text for people. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "host-tools/report/stat/stat.h"

#define CPUS 2U

/* Four events on two CPUs; instructions ran half, cache-misses never. */
static struct ledger_event events[4 * CPUS];
static struct ledger ledger = { .head.event_count = 4 * CPUS, .events = events };

static int set_up(void **state)
{
	static const struct {
		const char *name;
		uint32_t type;
		uint64_t config, count, running;
	} made[] = {
		{ "cpu-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK, 2000000000,
		  2000000000 },
		{ "cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, 6000000000, 2000000000 },
		{ "instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, 1500000000,
		  1000000000 },
		{ "cache-misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES, 0, 0 },
	};

	(void)state;
	memset(events, 0, sizeof(events));
	for (uint32_t i = 0; i < 4 * CPUS; i++) {
		struct tr_event *event = &events[i].event;
		uint32_t evsel = i / CPUS;

		event->evsel = evsel;
		event->cpu = i % CPUS;
		event->attr.type = made[evsel].type;
		event->attr.config = made[evsel].config;
		strcpy(event->name, made[evsel].name);
		events[i].ledger = (struct tr_event_ledger){
			.count = made[evsel].count,
			.time_enabled = 2000000000,
			.time_running = made[evsel].running,
		};
	}
	return 0;
}

static char *page(bool per_cpu)
{
	const struct stat_options options = { .title = "noploop 2", .per_cpu = per_cpu };
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(out);
	stat_print(&ledger, &options, out);
	fclose(out);
	return text;
}

static void counts_are_scaled_on_each_cpu_and_then_added(void **state)
{
	struct stat_count sum;

	(void)state;
	events[5].ledger.time_running = 500000000; /* instructions on CPU 1: a quarter */
	sum = stat_sum(&ledger, 4, false);
	assert_int_equal(sum.counted, 3000000000);
	assert_true(sum.scaled == 3e9 + 6e9);
	assert_int_equal(sum.running, 1500000000);
	assert_int_equal(sum.enabled, 4000000000);
	assert_true(stat_sum(&ledger, 5, true).scaled == 6e9);
	assert_int_equal(stat_elapsed(&ledger), 2000000000);
}

static void the_page_is_perfs(void **state)
{
	char *text = page(false);

	(void)state;
	assert_string_equal(
	    text,
	    "\n Performance counter stats for 'noploop 2':\n\n"
	    "          4,000.00 msec cpu-clock                 #     2.000 CPUs utilized\n"
	    "    12,000,000,000      cycles                    #     3.000 GHz\n"
	    "     6,000,000,000      instructions              #      0.50 insn per cycle"
	    "              (50.00%)\n"
	    "     <not counted>      cache-misses             "
	    "                                         (0.00%)\n"
	    "\n       2.000000000 seconds time elapsed\n\n");
	free(text);
}

static void each_cpu_can_have_its_own_lines(void **state)
{
	char *text = page(true);

	(void)state;
	assert_non_null(strstr(text,
	                       "CPU0              2,000.00 msec cpu-clock                 "
	                       "#     1.000 CPUs utilized\nCPU1 "));
	assert_non_null(strstr(text,
	                       "CPU1         6,000,000,000      cycles                    "
	                       "#     3.000 GHz\n"));
	free(text);
}

/* Other software events are no clock: events of other types may have the same number. */
static void a_value_that_is_no_share_is_a_rate(void **state)
{
	char *text;

	(void)state;
	for (uint32_t i = 0; i < CPUS; i++) {
		events[6 + i].ledger.time_running = 2000000000;
		events[6 + i].ledger.count = 50000000;
	}
	text = page(false);
	assert_non_null(strstr(text, "cache-misses              #    25.000 M/sec\n"));
	free(text);
	for (uint32_t i = 0; i < CPUS; i++) {
		events[i].event.attr.config = PERF_COUNT_SW_CPU_CLOCK + 1;
		events[6 + i].event.attr.type = PERF_TYPE_SOFTWARE;
	}
	text = page(false);
	assert_null(strstr(text, "/sec"));
	assert_null(strstr(text, "GHz"));
	free(text);
}

static void only_equally_counted_events_are_compared(void **state)
{
	char *text;

	(void)state;
	for (uint32_t i = 0; i < CPUS; i++)
		events[2 + i].event.attr.flags = PERF_ATTR_EXCLUDE_KERNEL;
	text = page(false);
	assert_null(strstr(text, "insn per cycle"));
	assert_non_null(strstr(text, "GHz"));
	free(text);
}

#define TEST(f) cmocka_unit_test_setup(f, set_up)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(counts_are_scaled_on_each_cpu_and_then_added),
		TEST(the_page_is_perfs),
		TEST(each_cpu_can_have_its_own_lines),
		TEST(a_value_that_is_no_share_is_a_rate),
		TEST(only_equally_counted_events_are_compared),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
