/* SPDX-License-Identifier: MIT */
/* When the recording of a boot ends, as text. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "agent/parse/command.h"
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

static void a_boot_is_recorded_until_the_first_of_what_is_listed(void **state)
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

static void what_a_boot_cannot_be_recorded_until_is_refused(void **state)
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
		cmocka_unit_test(a_boot_is_recorded_until_the_first_of_what_is_listed),
		cmocka_unit_test(what_a_boot_cannot_be_recorded_until_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
