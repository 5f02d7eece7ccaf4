/* SPDX-License-Identifier: MIT */
/* Commands that record the firmware's own boot. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "command/command.h"
#include "pmu/pmu.h"

static const struct workload_usage boot = { .name = BOOT_WORKLOAD,
	                                    .arguments = "",
	                                    .description = "" };
static const struct workload_usage loop = {
	.name = "loop", .arguments = "", .description = "", .most = 1
};
static const struct workload_usage *const test_workloads[] = { &loop, &boot, NULL };
static const struct command_tables tables = {
	.version = "test",
	.sources.list = pmu_sources,
	.workloads = test_workloads,
};

static struct command c;
static struct command_error error;

static int parse(const char *text)
{
	return command_parse(&c, text, &tables, &error);
}

static void a_registered_command_is_a_command_of_its_own(void **state)
{
	(void)state;
	assert_int_equal(parse("register  record --boot -c 7 -o \\a.data"), 0);
	assert_int_equal(c.verb, COMMAND_REGISTER);
	assert_int_equal(c.registered, 10);
	assert_true(c.boot);
	assert_int_equal(c.period_or_freq, 7);
	assert_ptr_equal(c.workload, &boot);
	assert_int_equal(parse("register"), 0);
	assert_int_equal(c.verb, COMMAND_REGISTER);
	assert_int_equal(c.registered, 0);
	assert_true(c.boot);
	assert_ptr_equal(c.workload, &boot);
}

static void a_boots_waiting_is_shown_unless_an_option_hides_it(void **state)
{
	static const struct {
		const char *text, *event;
		uint64_t rate;
		bool callchain;
	} cases[] = {
		{ "record --boot", "cpu-clock", 1000, true },
		{ "register", "cpu-clock", 1000, true },
		{ COMMAND_BOOT, "cpu-clock", 1000, true },
		{ "record -F 500 --boot", "cpu-clock", 500, true },
		{ "record --boot -e cpu-clock", "cpu-clock", 1000, false },
		{ "register record --boot -e cycles -c 9", "cycles", 9, false },
		{ "record -e cpu-clock -- loop", "cpu-clock", 4000, false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_int_equal(parse(cases[i].text), 0);
		assert_int_equal(c.nr_events, 1);
		assert_string_equal(c.events[0].name, cases[i].event);
		assert_int_equal(c.period_or_freq, cases[i].rate);
		assert_int_equal(c.callchain, cases[i].callchain);
	}
	assert_int_equal(parse("record -- loop"), 0);
	assert_int_equal(c.nr_events, 0);
}

static void a_command_that_no_driver_can_do_is_not_registered(void **state)
{
	(void)state;
	assert_int_equal(parse("register record --boot -o fs1:a.data"), -EINVAL);
	assert_string_equal(error.what,
	                    "volumes have names in the firmware's shell, which does not run then");
	assert_int_equal(error.column, 26);
	assert_int_equal(parse("record --boot -o fs1:a.data"), 0);
}

static void a_boot_is_recorded_until_the_first_of_the_listed_ends(void **state)
{
	static const struct {
		const char *text;
		struct command_until until;
	} cases[] = {
		{ "record --boot", { 0 } },
		{ "record --boot --until ready-to-boot", { .ready_to_boot = true } },
		{ "record --until=key --boot", { .key = true } },
		{ "record --boot --until 30s", { .ms = 30000 } },
		{ "record --boot --until 1.5", { .ms = 1500 } },
		{ "record --boot --until 0.001s,key", { .ms = 1, .key = true } },
		{ "record --boot --until key,86400s,ready-to-boot",
		  { .ready_to_boot = true, .key = true, .ms = 86400000 } },
		{ "record --boot --until key --until 2s", { .key = true, .ms = 2000 } },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_int_equal(parse(cases[i].text), 0);
		assert_int_equal(c.until.ready_to_boot, cases[i].until.ready_to_boot);
		assert_int_equal(c.until.key, cases[i].until.key);
		assert_int_equal(c.until.ms, cases[i].until.ms);
	}
}

static void an_impossible_end_of_a_boots_recording_is_refused(void **state)
{
	static const struct {
		const char *text, *what;
		unsigned column;
	} cases[] = {
		{ "record --until key -- loop", "a boot is what goes on until then: --boot", 7 },
		{ "record --boot --until", "this option needs an argument", 14 },
		{ "record --boot --until keys", "want ready-to-boot, key or a time (30s)", 22 },
		{ "record --boot --until key,", "want ready-to-boot, key or a time (30s)", 26 },
		{ "record --boot --until ,key", "want ready-to-boot, key or a time (30s)", 22 },
		{ "record --boot --until -3s", "want ready-to-boot, key or a time (30s)", 22 },
		{ "record --boot --until s", "want ready-to-boot, key or a time (30s)", 22 },
		{ "record --boot --until 0s", "number is too small", 22 },
		{ "record --boot --until 1ss", "not a number", 22 },
		{ "record --boot --until key,86401", "number is too large", 26 },
		{ "register record --boot --until 30m", "not a number", 31 },
		{ "stat --until key -- loop", "unknown option", 5 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_int_equal(parse(cases[i].text), -EINVAL);
		assert_string_equal(error.what, cases[i].what);
		assert_int_equal(error.column, cases[i].column);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_registered_command_is_a_command_of_its_own),
		cmocka_unit_test(a_boots_waiting_is_shown_unless_an_option_hides_it),
		cmocka_unit_test(a_command_that_no_driver_can_do_is_not_registered),
		cmocka_unit_test(a_boot_is_recorded_until_the_first_of_the_listed_ends),
		cmocka_unit_test(an_impossible_end_of_a_boots_recording_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
