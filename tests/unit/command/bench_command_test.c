/* SPDX-License-Identifier: MIT */
/* The command `bench`. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "command/command.h"
#include "pmu/pmu.h"

static const struct workload_usage *const no_workloads[] = { NULL };
static const struct command_tables tables = {
	.version = "test",
	.sources.list = pmu_sources,
	.workloads = no_workloads,
};

static struct command c;

static int parse(const char *text)
{
	struct command_error error;

	return command_parse(&c, text, &tables, &error);
}

static void bench_takes_pieces_or_measures_the_firmware(void **state)
{
	(void)state;
	assert_int_equal(parse("bench 2 3 TEXT"), 0);
	assert_int_equal(c.piece, 2);
	assert_int_equal(c.pieces, 3);
	assert_false(c.uefi);
	assert_int_equal(parse("bench --uefi"), 0);
	assert_true(c.uefi && !c.console && !c.json && !c.calls);
	assert_int_equal(parse("bench --uefi --calls 20 --console --json"), 0);
	assert_true(c.uefi && c.console && c.json);
	assert_int_equal(c.calls, 20);
	assert_int_equal(parse("bench --uefi --calls 0"), -EINVAL);
	assert_int_equal(parse("bench --uefi --calls 1000001"), -EINVAL);
	assert_int_equal(parse("bench --uefi 1 1 TEXT"), -EINVAL);
	assert_int_equal(parse("bench --calls 20 1 1 TEXT"), -EINVAL);
	assert_int_equal(parse("bench --json 1 1 TEXT"), -EINVAL);
	assert_int_equal(parse("bench --uefi --exclusive"), -EINVAL);
	assert_int_equal(parse("bench --uefi --keep"), -EINVAL);
	assert_int_equal(parse("bench 1 1"), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bench_takes_pieces_or_measures_the_firmware),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
