/* SPDX-License-Identifier: MIT */
/* The options for branch stacks: perf's names, and refused ones. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "command/command.h"
#include "pmu/pmu.h"

static const struct workload_usage loop = {
	.name = "loop", .arguments = "[N]", .description = "", .standard = 5, .least = 2, .most = 9
};
static const struct workload_usage *const workloads[] = { &loop, NULL };
static const struct command_tables tables = { .version = "test",
	                                      .sources.list = pmu_sources,
	                                      .workloads = workloads };

static struct command command;
static struct command_error error;

static int parse(const char *text)
{
	return command_parse(&command, text, &tables, &error);
}

static void fields_of_memory_are_perfs(void **state)
{
	static const struct {
		const char *text;
		uint64_t fields;
	} cases[] = {
		{ "record -- loop", 0 },
		{ "record -d -- loop", PERF_SAMPLE_ADDR | PERF_SAMPLE_DATA_SRC },
		{ "record --data --weight -- loop",
		  PERF_SAMPLE_ADDR | PERF_SAMPLE_DATA_SRC | PERF_SAMPLE_WEIGHT_STRUCT },
		{ "record -W --phys-data -- loop",
		  PERF_SAMPLE_WEIGHT_STRUCT | PERF_SAMPLE_PHYS_ADDR },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_int_equal(parse(cases[i].text), 0);
		assert_int_equal(command.sample_fields, cases[i].fields);
	}
}

static void branch_filters_are_perfs(void **state)
{
	static const struct {
		const char *text;
		uint64_t type;
		bool callchain;
	} cases[] = {
		{ "record -- loop", 0, false },
		{ "record -b -- loop", PERF_SAMPLE_BRANCH_ANY, false },
		{ "record -b -g -- loop", PERF_SAMPLE_BRANCH_ANY, true },
		{ "record -j k -- loop", PERF_SAMPLE_BRANCH_ANY | PERF_SAMPLE_BRANCH_KERNEL,
		  false },
		{ "record -j any_call,any_ret,u -- loop",
		  PERF_SAMPLE_BRANCH_ANY_CALL | PERF_SAMPLE_BRANCH_ANY_RETURN |
		      PERF_SAMPLE_BRANCH_USER,
		  false },
		{ "record -j ind_call,ind_jmp,cond,call,hw_index -- loop",
		  PERF_SAMPLE_BRANCH_IND_CALL | PERF_SAMPLE_BRANCH_IND_JUMP |
		      PERF_SAMPLE_BRANCH_COND | PERF_SAMPLE_BRANCH_CALL |
		      PERF_SAMPLE_BRANCH_HW_INDEX,
		  false },
		{ "record --call-graph lbr -- loop",
		  PERF_SAMPLE_BRANCH_CALL_STACK | PERF_SAMPLE_BRANCH_NO_FLAGS |
		      PERF_SAMPLE_BRANCH_NO_CYCLES | PERF_SAMPLE_BRANCH_HW_INDEX,
		  true },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_int_equal(parse(cases[i].text), 0);
		assert_int_equal(command.branch_sample_type, cases[i].type);
		assert_int_equal(command.callchain, cases[i].callchain);
	}
}

static void a_wrong_filter_or_a_second_one_is_refused(void **state)
{
	static const char want[] =
	    "want any, any_call, any_ret, ind_call, ind_jmp, cond, call, u, k, hv or hw_index";
	static const char one[] = "-b, -j and --call-graph lbr exclude each other";
	static const char samples[] = "nothing is sampled: what is recorded fills an AUX area";
	static const struct {
		const char *text, *what;
		unsigned column;
	} cases[] = {
		{ "record -j any,jump -- loop", want, 14 },
		{ "record -j any, -- loop", want, 14 },
		{ "record -j anyway -- loop", want, 10 },
		{ "record -b -j call -- loop", one, 13 },
		{ "record -j call -b -- loop", one, 15 },
		{ "record -j call --call-graph lbr -- loop", one, 28 },
		{ "record -e bts// -b -- loop", samples, 16 },
		{ "record -e bts// -j call -- loop", samples, 16 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_int_equal(parse(cases[i].text), -EINVAL);
		assert_string_equal(error.what, cases[i].what);
		assert_int_equal(error.column, cases[i].column);
	}
	assert_int_equal(parse("stat -b -- loop"), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fields_of_memory_are_perfs),
		cmocka_unit_test(branch_filters_are_perfs),
		cmocka_unit_test(a_wrong_filter_or_a_second_one_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
