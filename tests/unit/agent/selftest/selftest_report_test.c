/* SPDX-License-Identifier: MIT */
/* A self-test's report as text and as JSON. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>
#include <jansson.h>

#include "agent/selftest/selftest_report.h"

static char text[1 << 20];
static size_t used;
static struct selftest_report report;

static __attribute__((format(printf, 1, 2))) void print(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	used += (size_t)vsnprintf(text + used, sizeof(text) - used, format, arguments);
	va_end(arguments);
	assert_true(used < sizeof(text));
}

static int set_up(void **state)
{
	(void)state;
	memset(&report, 0, sizeof(report));
	used = 0;
	*text = '\0';
	return 0;
}

static void add(enum selftest_verdict verdict, const char *check, const char *what)
{
	struct selftest_line line = { 0 };

	selftest_say(&line, verdict, "%s", what);
	selftest_figure(&line, "one", 1);
	selftest_figure(&line, "least", INT64_MIN);
	selftest_add(&report, &line, "%s", check);
}

static void the_table_has_a_line_a_check_and_a_sum(void **state)
{
	(void)state;
	add(SELFTEST_PASS, "a clock", "goes");
	add(SELFTEST_FAIL, "a timer", "does not");
	add(SELFTEST_ABSENT, "SPE", "none");
	add(SELFTEST_PASS, "gaps", "0");
	selftest_print_text(&report, print);
	assert_string_equal(text,
	                    "PASS    a clock                    goes\n"
	                    "FAIL    a timer                    does not\n"
	                    "ABSENT  SPE                        none\n"
	                    "PASS    gaps                       0\n"
	                    "self-test: 2 good, 1 wrong, 1 not there\n");
}

static void json_has_the_same_verdicts_and_the_figures(void **state)
{
	json_t *root, *checks, *figures;

	(void)state;
	add(SELFTEST_FAIL, "a \"name\"", "back\\slash, \x01 and \xfc");
	add(SELFTEST_PASS, "another", "");
	report.architecture = "x86_64";
	selftest_print_json(&report, print);
	assert_ptr_equal(strchr(text, '\n'), text + used - 1); /* one line */
	root = json_loads(text, 0, NULL);
	assert_non_null(root);
	assert_int_equal(json_integer_value(json_object_get(root, "selftest")), 1);
	assert_string_equal(json_string_value(json_object_get(root, "architecture")), "x86_64");
	assert_string_equal(json_string_value(json_object_get(root, "bareperf")), BAREPERF_VERSION);
	assert_int_equal(json_integer_value(json_object_get(root, "pass")), 1);
	assert_int_equal(json_integer_value(json_object_get(root, "fail")), 1);
	assert_int_equal(json_integer_value(json_object_get(root, "absent")), 0);
	checks = json_object_get(root, "checks");
	assert_int_equal(json_array_size(checks), 2);
	checks = json_array_get(checks, 0);
	assert_string_equal(json_string_value(json_object_get(checks, "check")), "a \"name\"");
	assert_string_equal(json_string_value(json_object_get(checks, "verdict")), "FAIL");
	assert_string_equal(json_string_value(json_object_get(checks, "text")),
	                    "back\\slash, ? and ?");
	figures = json_object_get(checks, "figures");
	assert_int_equal(json_object_size(figures), 2);
	assert_int_equal(json_integer_value(json_object_get(figures, "one")), 1);
	assert_true(json_integer_value(json_object_get(figures, "least")) == INT64_MIN);
	json_decref(root);
}

static void a_survey_follows_the_checks(void **state)
{
	static struct survey survey = { .cpus = 1, .hz = 7, .producer = "x" };
	json_t *root;

	(void)state;
	add(SELFTEST_PASS, "one", "");
	report.architecture = "x86_64";
	report.survey = &survey;
	selftest_print_text(&report, print);
	assert_non_null(strstr(text, "not there\n\nbareperf x self-test, "));
	used = 0;
	selftest_print_json(&report, print);
	assert_ptr_equal(strchr(text, '\n'), text + used - 1);
	root = json_loads(text, 0, NULL);
	assert_int_equal(json_integer_value(json_object_get(json_object_get(root, "survey"), "hz")),
	                 7);
	json_decref(root);
}

static void a_figure_is_found_by_its_name(void **state)
{
	struct selftest_line line = { 0 };

	(void)state;
	selftest_figure(&line, "one", 1);
	selftest_figure(&line, "two", -2);
	assert_int_equal(selftest_figure_of(&line, "two"), -2);
	assert_int_equal(selftest_figure_of(&line, "three"), 0);
}

static void lines_beyond_the_report_are_counted_and_not_kept(void **state)
{
	struct selftest_line line = { 0 };

	(void)state;
	for (unsigned i = 0; i < SELFTEST_FIGURES + 2; i++)
		selftest_figure(&line, "figure", i);
	assert_int_equal(line.nr_figures, SELFTEST_FIGURES);
	for (unsigned i = 0; i < SELFTEST_LINES + 3; i++)
		add(SELFTEST_FAIL, "check", "wrong");
	assert_int_equal(report.nr_lines, SELFTEST_LINES);
	assert_int_equal(report.verdicts[SELFTEST_FAIL], SELFTEST_LINES + 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(the_table_has_a_line_a_check_and_a_sum, set_up),
		cmocka_unit_test_setup(json_has_the_same_verdicts_and_the_figures, set_up),
		cmocka_unit_test_setup(a_survey_follows_the_checks, set_up),
		cmocka_unit_test_setup(a_figure_is_found_by_its_name, set_up),
		cmocka_unit_test_setup(lines_beyond_the_report_are_counted_and_not_kept, set_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
