/* SPDX-License-Identifier: MIT */
/* Which records `bareperf dump` prints. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "host-tools/report/dump/dump_filter.h"

static const struct dump_fields sample = {
	.value = { [DUMP_IP] = 0x1000,
	           [DUMP_TIME] = 1500000000,
	           [DUMP_PERIOD] = 1000,
	           [DUMP_CPU] = 3 },
	.has = 1U << DUMP_IP | 1U << DUMP_TIME | 1U << DUMP_PERIOD | 1U << DUMP_CPU,
	.event = "cycles",
};

static bool passes(const char *text)
{
	struct dump_filter filter = { 0 };

	assert_null(dump_filter_parse(&filter, text));
	assert_true(dump_filter_is_on(&filter));
	return dump_filter_passes(&filter, &sample);
}

static void each_operator_compares_as_documented(void **state)
{
	(void)state;
	assert_true(passes("ip == 0x1000") && !passes("ip == 4097"));
	assert_true(passes("ip != 4097") && !passes("ip != 4096"));
	assert_true(passes("period > 999") && !passes("period > 1000"));
	assert_true(passes("period >= 1000") && !passes("period >= 1001"));
	assert_true(passes("period < 1001") && !passes("period < 1000"));
	assert_true(passes("period <= 1000") && !passes("period <= 999"));
	assert_true(passes("cpu & 2") && !passes("cpu & 4"));
	assert_true(passes("time>1499999999,time<1500000001"));
}

static void commas_want_all_and_bars_want_one(void **state)
{
	(void)state;
	assert_false(passes("cpu == 3, period == 1"));
	assert_true(passes("cpu == 1 || cpu == 3, period == 1000"));
	assert_true(passes("period == 1000, cpu == 3||cpu == 1"));
	assert_false(passes("period == 1 || period == 2, cpu == 3"));
	assert_false(passes("cpu == 3, period == 1 || period == 2"));
}

static void no_term_holds_for_a_missing_field(void **state)
{
	(void)state;
	assert_false(passes("addr == 0"));
	assert_false(passes("addr != 1"));
	assert_true(passes("addr == 0 || cpu == 3"));
}

static void an_error_message_says_which_input_is_valid(void **state)
{
	struct dump_filter filter = { 0 };
	static const struct {
		const char *text, *wrong;
	} all[] = {
		{ "", "ip, addr" },
		{ "ips == 1", "ip, addr" },
		{ "ip", "==" },
		{ "ip = 1", "==" },
		{ "ip == x", "number" },
		{ "ip == -1", "number" },
		{ "ip == 0x10000000000000000", "number" },
		{ "ip == 1 cpu == 1", ", or ||" },
		{ "ip == 1,", "ip, addr" },
		{ "ip == 1 ||", "ip, addr" },
	};
	char many[64 * 10] = "cpu == 1";

	(void)state;
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		const char *wrong = dump_filter_parse(&filter, all[i].text);

		assert_non_null(wrong);
		assert_non_null(strstr(wrong, all[i].wrong));
	}
	for (unsigned i = 1; i < DUMP_FILTER_TERMS; i++)
		strcat(many, ",cpu == 1");
	assert_null(dump_filter_parse(&filter, many));
	strcat(many, ",cpu == 1");
	assert_non_null(dump_filter_parse(&filter, many));
}

static bool in_time(const char *text)
{
	struct dump_filter filter = { 0 };

	assert_null(dump_filter_parse_time(&filter, text));
	return dump_filter_passes(&filter, &sample);
}

static void times_are_seconds_both_ends_included(void **state)
{
	struct dump_filter filter = { 0 };

	(void)state;
	assert_true(in_time("1.5,1.500000000"));
	assert_true(in_time("1,2") && in_time("1.4,") && in_time(",1.5") && in_time(","));
	assert_false(in_time("1.500000001,"));
	assert_false(in_time(",1.499999999"));
	assert_non_null(dump_filter_parse_time(&filter, "1"));
	assert_non_null(dump_filter_parse_time(&filter, "2,1"));
	assert_non_null(dump_filter_parse_time(&filter, "1,x"));
	assert_non_null(dump_filter_parse_time(&filter, "99999999999999999999,"));
}

static bool on_cpus(const char *text)
{
	struct dump_filter filter = { 0 };

	assert_null(dump_filter_parse_cpus(&filter, text));
	return dump_filter_passes(&filter, &sample);
}

static void cpus_are_a_list_of_ranges(void **state)
{
	struct dump_filter filter = { 0 };

	(void)state;
	assert_true(on_cpus("3") && on_cpus("0,3") && on_cpus("0-1,2-5") && !on_cpus("0-2,4"));
	assert_non_null(dump_filter_parse_cpus(&filter, ""));
	assert_non_null(dump_filter_parse_cpus(&filter, "1-"));
	assert_non_null(dump_filter_parse_cpus(&filter, "2-1"));
	assert_non_null(dump_filter_parse_cpus(&filter, "1;2"));
}

static void an_event_is_called_so(void **state)
{
	struct dump_filter filter = { .event = "cycles" };
	struct dump_fields nameless = sample;

	(void)state;
	nameless.event = NULL;
	assert_true(dump_filter_passes(&filter, &sample));
	assert_false(dump_filter_passes(&filter, &nameless));
	filter.event = "cycle";
	assert_false(dump_filter_passes(&filter, &sample));
}

/* A sample and a LOST record of one event, and a record that a tool has added. */
static void the_fields_are_the_records(void **state)
{
	const struct perf_event_attr attr = {
		.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TIME |
		               PERF_SAMPLE_CPU,
		.flags = PERF_ATTR_SAMPLE_ID_ALL,
	};
	struct {
		struct perf_event_header header;
		uint64_t words[5];
	} one = { { PERF_RECORD_SAMPLE, 0, 40 }, { 7, 0x1000, 55, 2 } },
	  lost = { { PERF_RECORD_LOST, 0, 48 }, { 7, 9, 66, 1, 7 } },
	  made_up = { { PERF_RECORD_LOST, 0, 48 }, { 0 } };
	struct dump_fields fields;

	(void)state;
	dump_fields_of(&fields, &one.header, &attr, "name");
	assert_int_equal(fields.value[DUMP_IP], 0x1000);
	assert_int_equal(fields.value[DUMP_TIME], 55);
	assert_int_equal(fields.value[DUMP_CPU], 2);
	assert_int_equal(fields.value[DUMP_ID], 7);
	assert_int_equal(fields.has,
	                 1U << DUMP_IP | 1U << DUMP_TIME | 1U << DUMP_CPU | 1U << DUMP_ID);
	assert_string_equal(fields.event, "name");
	dump_fields_of(&fields, &lost.header, &attr, "name");
	assert_int_equal(fields.value[DUMP_TIME], 66);
	assert_int_equal(fields.has, 1U << DUMP_TIME | 1U << DUMP_CPU | 1U << DUMP_ID);
	dump_fields_of(&fields, &made_up.header, &attr, "name");
	assert_int_equal(fields.has, 0);
	assert_null(fields.event);
	one.header.size = 16; /* cut off */
	dump_fields_of(&fields, &one.header, &attr, "name");
	assert_int_equal(fields.has, 0);
	dump_fields_of(&fields, &lost.header, NULL, "");
	assert_int_equal(fields.has, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_operator_compares_as_documented),
		cmocka_unit_test(commas_want_all_and_bars_want_one),
		cmocka_unit_test(no_term_holds_for_a_missing_field),
		cmocka_unit_test(an_error_message_says_which_input_is_valid),
		cmocka_unit_test(times_are_seconds_both_ends_included),
		cmocka_unit_test(cpus_are_a_list_of_ranges),
		cmocka_unit_test(an_event_is_called_so),
		cmocka_unit_test(the_fields_are_the_records),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
