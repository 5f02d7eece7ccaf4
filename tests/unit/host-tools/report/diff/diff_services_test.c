/* SPDX-License-Identifier: MIT */
/* Two reports of `bench --uefi` compared. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "host-tools/report/diff/diff_services.h"

static char paths[2][32];
static char *files[2] = { paths[0], paths[1] };
static char output[8192];
static struct diff_services_options options;
static struct error error;
static unsigned grown;

static int set_up(void **state)
{
	(void)state;
	options = (struct diff_services_options){ .confidence = 0.95, .limit = -1 };
	for (unsigned i = 0; i < 2; i++) {
		strcpy(paths[i], "/tmp/services-XXXXXX");
		close(mkstemp(paths[i]));
	}
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	unlink(paths[0]);
	unlink(paths[1]);
	return 0;
}

#define HEAD                                                                                  \
	"{\"uefi_services\":1,\"architecture\":\"x86_64\",\"firmware\":\"F\",\"revision\":1," \
	"\"hz\":1000000000,\"counts_instructions\":%s,\"services\":["

static void put(unsigned side, const char *counts, const char *services)
{
	FILE *file = fopen(paths[side], "w");

	fprintf(file, HEAD "%s]}", counts, services);
	fclose(file);
}

/* One service's figures; the instructions are a hundredth of the time. */
static char *row(const char *name, double p25, double median, double p75, unsigned calls)
{
	static char texts[8][512];
	static unsigned next;
	char *text = texts[next++ % 8];

	snprintf(text, sizeof(texts[0]),
	         "{\"service\":\"%s\",\"detail\":\"\",\"calls\":%u,"
	         "\"ns\":{\"p25\":%g,\"median\":%g,\"p75\":%g},"
	         "\"instructions\":{\"p25\":%g,\"median\":%g,\"p75\":%g}}",
	         name, calls, p25, median, p75, p25 / 100, median / 100, p75 / 100);
	return text;
}

static int compare(void)
{
	FILE *out = fmemopen(output, sizeof(output), "w");
	int code = diff_services(&options, files, out, &grown, &error);

	fclose(out);
	return code;
}

static void exact_counts_differ_by_one(void **state)
{
	(void)state;
	put(0, "true", row("A", 5000, 5000, 5000, 10));
	put(1, "true", row("A", 5100, 5100, 5100, 10));
	assert_int_equal(compare(), 0);
	assert_non_null(strstr(output, "median instructions of a call"));
	assert_non_null(strstr(output, "50           51     1.020  [1.020, 1.020]       A\n"));
	assert_non_null(strstr(output, "chance: 0 of 1"));
}

static void a_difference_within_the_spread_is_chance(void **state)
{
	(void)state;
	put(0, "false", row("A", 4000, 5000, 6000, 100));
	put(1, "false", row("A", 4400, 5400, 6400, 100));
	assert_int_equal(compare(), 0);
	assert_non_null(strstr(output, "median ns of a call"));
	assert_non_null(strstr(output, "chance: 1 of 1"));
	/* with ten times as many calls it is none */
	put(0, "false", row("A", 4000, 5000, 6000, 1000));
	put(1, "false", row("A", 4400, 5400, 6400, 1000));
	assert_int_equal(compare(), 0);
	assert_non_null(strstr(output, "chance: 0 of 1"));
}

/* 1.96 * hypot(185.2, 185.2) + 2 ns + 0.05 % of 10400 ns = 520.5 ns */
static void the_interval_is_that_of_two_medians(void **state)
{
	(void)state;
	put(0, "false", row("A", 4000, 5000, 6000, 100));
	put(1, "false", row("A", 4400, 5400, 6400, 100));
	assert_int_equal(compare(), 0);
	assert_non_null(strstr(output, "1.080  [0.976, 1.184]"));
}

static void times_within_a_tick_and_the_clocks_error_are_equal(void **state)
{
	(void)state;
	put(0, "false", row("A", 100, 100, 100, 10));
	put(1, "false", row("A", 102, 102, 102, 10));
	assert_int_equal(compare(), 0);
	assert_non_null(strstr(output, "chance: 1 of 1"));
	put(1, "false", row("A", 103, 103, 103, 10));
	assert_int_equal(compare(), 0);
	assert_non_null(strstr(output, "chance: 0 of 1"));
	put(0, "false", row("A", 1000000, 1000000, 1000000, 10));
	put(1, "false", row("A", 1000900, 1000900, 1000900, 10));
	assert_int_equal(compare(), 0);
	assert_non_null(strstr(output, "chance: 1 of 1"));
}

static void the_largest_factor_comes_first(void **state)
{
	char old[1536], new[1536];

	(void)state;
	snprintf(old, sizeof(old), "%s,%s,%s", row("A", 1000, 1000, 1000, 9),
	         row("B", 9000, 9000, 9000, 9), row("C", 100, 100, 100, 9));
	snprintf(new, sizeof(new), "%s,%s,%s", row("A", 2000, 2000, 2000, 9),
	         row("B", 3000, 3000, 3000, 9), row("C", 100, 100, 100, 9));
	put(0, "true", old);
	put(1, "true", new);
	options.separator = ";";
	assert_int_equal(compare(), 0);
	assert_non_null(
	    strstr(output, "90;30;0.333;[0.333, 0.333];B\n10;20;2.000;[2.000, 2.000];A\n"));
	assert_non_null(strstr(output, "#\n1;1;1.000;[1.000, 1.000];C\n"));
}

static void a_service_of_one_side_is_named(void **state)
{
	(void)state;
	put(0, "true", row("A", 1, 1, 1, 9));
	put(1, "true",
	    "{\"service\":\"A\",\"detail\":\"\",\"error\":3},"
	    "{\"service\":\"B\",\"detail\":\"64 B\",\"error\":3}");
	assert_int_equal(compare(), 0);
	assert_non_null(strstr(output, "# only in old: A\n"));
	assert_null(strstr(output, "B (64 B)"));
	assert_non_null(strstr(output, "chance: 0 of 0"));
}

static void growth_above_the_limit_is_counted(void **state)
{
	(void)state;
	options.limit = 0.05;
	put(0, "true", row("A", 10000, 10000, 10000, 9));
	put(1, "true", row("A", 10500, 10500, 10500, 9));
	assert_int_equal(compare(), 0);
	assert_int_equal(grown, 0);
	put(1, "true", row("A", 10600, 10600, 10600, 9));
	assert_int_equal(compare(), 0);
	assert_int_equal(grown, 1);
}

static void a_unit_can_be_chosen(void **state)
{
	(void)state;
	put(0, "true", row("A", 5000, 5000, 5000, 10));
	put(1, "true", row("A", 5100, 5100, 5100, 10));
	options.unit = "ns";
	assert_int_equal(compare(), 0);
	assert_non_null(strstr(output, "5000         5100"));
	options.unit = "cycles";
	assert_int_equal(compare(), -EINVAL);
	put(1, "false", row("A", 5100, 5100, 5100, 10));
	options.unit = "instructions";
	assert_int_equal(compare(), -ENODATA);
}

static void other_files_are_refused_with_the_reason(void **state)
{
	FILE *file;

	(void)state;
	put(0, "true", row("A", 1, 1, 1, 9));
	put(1, "true", row("A", 2, 1, 1, 9));
	assert_int_equal(compare(), -EINVAL);
	assert_non_null(strstr(error.text, "quartiles"));
	put(1, "true", row("A", 1, 1, 1, 0));
	assert_int_equal(compare(), -EINVAL);
	assert_non_null(strstr(error.text, "\"calls\" is 0"));
	put(1, "true", "{\"service\":1}");
	assert_int_equal(compare(), -EINVAL);
	assert_non_null(strstr(error.text, "\"service\" is no text"));
	file = fopen(paths[1], "w");
	fputs("PERFILE2", file);
	fclose(file);
	assert_false(diff_services_is_report(paths[1]));
	assert_true(diff_services_is_report(paths[0]));
	assert_int_equal(compare(), -EINVAL);
	assert_non_null(strstr(error.text, "no JSON"));
	unlink(paths[1]);
	assert_false(diff_services_is_report(paths[1]));
	assert_int_equal(compare(), -ENOENT);
}

static void two_architectures_are_not_compared(void **state)
{
	FILE *file;

	(void)state;
	put(0, "true", row("A", 1, 1, 1, 9));
	file = fopen(paths[1], "w");
	fputs(
	    "{\"uefi_services\":1,\"architecture\":\"aarch64\",\"firmware\":\"\",\"revision\":1,"
	    "\"hz\":1,\"services\":[]}",
	    file);
	fclose(file);
	assert_int_equal(compare(), -EINVAL);
	assert_non_null(strstr(error.text, "one report is of x86_64, the other of aarch64"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(exact_counts_differ_by_one, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_difference_within_the_spread_is_chance, set_up,
		                                tear_down),
		cmocka_unit_test_setup_teardown(the_interval_is_that_of_two_medians, set_up,
		                                tear_down),
		cmocka_unit_test_setup_teardown(times_within_a_tick_and_the_clocks_error_are_equal,
		                                set_up, tear_down),
		cmocka_unit_test_setup_teardown(the_largest_factor_comes_first, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_service_of_one_side_is_named, set_up, tear_down),
		cmocka_unit_test_setup_teardown(growth_above_the_limit_is_counted, set_up,
		                                tear_down),
		cmocka_unit_test_setup_teardown(a_unit_can_be_chosen, set_up, tear_down),
		cmocka_unit_test_setup_teardown(other_files_are_refused_with_the_reason, set_up,
		                                tear_down),
		cmocka_unit_test_setup_teardown(two_architectures_are_not_compared, set_up,
		                                tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
