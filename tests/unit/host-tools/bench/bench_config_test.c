/* SPDX-License-Identifier: MIT */
/* nanoBench's configuration files. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "host-tools/bench/bench_config.h"

static struct bench_events events;
static struct error error;

static int tear_down(void **state)
{
	(void)state;
	bench_config_free(&events);
	return 0;
}

static int parse(const char *text, bool is_msr, bool is_arm)
{
	bench_config_free(&events);
	return bench_config_parse(&events, text, is_msr, is_arm, "cfg", &error);
}

static void every_part_of_an_event_is_read(void **state)
{
	const struct bench_event *e;

	(void)state;
	assert_int_equal(parse("# a comment\n\n"
	                       "C0.01 INST RETIRED \r\n"
	                       "\t3C.00\tCYCLES\n"
	                       "A1.F0.CMSK=255.AnyT.EDG.INV.TakenAlone.CTR=3.MSR_3F6H=0x10."
	                       "MSR_PF=1.MSR_RSP0=0x3f80408fff.MSR_RSP1=2 ALL\n"
	                       "D1.02",
	                       false, false),
	                 0);
	assert_int_equal(events.count, 4);
	e = &events.list[0];
	assert_string_equal(e->name, "INST RETIRED");
	assert_int_equal(e->counter, -1);
	assert_int_equal(bench_config_select(e, BENCH_INTEL), 0x1c0);
	assert_string_equal(events.list[1].name, "CYCLES");
	e = &events.list[2];
	assert_string_equal(e->name, "ALL");
	assert_int_equal(bench_config_select(e, BENCH_INTEL), 0xffa4f0a1);
	assert_true(e->alone);
	assert_int_equal(e->counter, 3);
	assert_int_equal(e->nr_writes, 4);
	assert_int_equal(e->writes[0].reg, 0x3f6);
	assert_int_equal(e->writes[1].reg, 0x3f7);
	assert_int_equal(e->writes[2].reg, 0x1a6);
	assert_int_equal(e->writes[2].value, 0x3f80408fff);
	assert_int_equal(e->writes[3].reg, 0x1a7);
	assert_string_equal(events.list[3].name, "D1.02");
}

static void amds_events_have_twelve_bits(void **state)
{
	(void)state;
	assert_int_equal(parse("1C7.04 E\n", false, false), 0);
	assert_int_equal(bench_config_select(&events.list[0], BENCH_AMD), 0x1000004c7);
}

static void arms_events_have_a_number_alone(void **state)
{
	(void)state;
	assert_int_equal(parse("4005 L1D\n08 INST\n", false, true), 0);
	assert_int_equal(bench_config_select(&events.list[0], BENCH_ARM), 0x4005);
	assert_int_equal(parse("08.01 INST\n", false, true), -EINVAL);
}

static void registers_are_set_and_read(void **state)
{
	const struct bench_event *e;

	(void)state;
	assert_int_equal(
	    parse("msr_0xE01=0x20000000.msr_700=0x408F34 msr_706 LLC 0\nmsr_611 RAPL\n", true,
	          false),
	    0);
	e = &events.list[0];
	assert_int_equal(e->nr_writes, 2);
	assert_int_equal(e->writes[0].reg, 0xe01);
	assert_int_equal(e->writes[0].value, 0x20000000);
	assert_int_equal(e->writes[1].reg, 0x700);
	assert_int_equal(e->read, 0x706);
	assert_string_equal(e->name, "LLC 0");
	assert_int_equal(events.list[1].read, 0x611);
	assert_int_equal(events.list[1].nr_writes, 0);
}

static void refused(const char *text, bool is_msr, const char *why)
{
	assert_int_equal(parse(text, is_msr, false), -EINVAL);
	if (!strstr(error.text, why))
		fail_msg("%s: %s", text, error.text);
}

static void mistakes_are_named_with_their_line(void **state)
{
	(void)state;
	refused("C0.00 A\nC0 B\n", false, "cfg, line 2: want EVENT.UMASK");
	refused("G0.00 A\n", false, "line 1: this is no event number in hexadecimal: 'G0'");
	refused("C0.100 A\n", false, "want EVENT.UMASK");
	refused("C0.00.CTR=32 A\n", false, "counter of 0 to 31");
	refused("C0.00.CMSK=256 A\n", false, "mask of 0 to 255");
	refused("C0.00.MSR_PF=x A\n", false, "this is no number: 'x'");
	refused("C0.00.EDGE A\n", false, "unknown part of an event");
	refused("msr_1 A\n", false, "no event number");
	refused("C0.00 A\n", true, "want msr_N, the register to read");
	refused("msr_1=g msr_2 A\n", true, "want msr_N=VALUE");
	refused("msr_1=1\n", true, "want msr_N, the register to read");
	refused("-1.00 A\n", false, "no event number");
}

static void a_line_has_a_bound(void **state)
{
	char line[2000];

	(void)state;
	memset(line, 'a', sizeof(line));
	memcpy(line, "C0.00 ", 6);
	line[1023] = 0;
	assert_int_equal(parse(line, false, false), 0);
	assert_int_equal(strlen(events.list[0].name), BENCH_NAME - 1);
	line[1023] = 'a';
	line[1024] = 0;
	refused(line, false, "more than 1023 characters");
}

static void a_file_is_read(void **state)
{
	char path[] = "/tmp/bench-config-XXXXXX";
	int fd = mkstemp(path);

	(void)state;
	assert_true(fd >= 0);
	bench_config_free(&events);
	assert_int_equal(bench_config_read(&events, path, false, false, &error), 0);
	assert_int_equal(events.count, 0);
	assert_int_equal(write(fd, "C0.00 A\n", 8), 8);
	assert_int_equal(bench_config_read(&events, path, false, false, &error), 0);
	assert_int_equal(events.count, 1);
	unlink(path);
	assert_true(bench_config_read(&events, path, false, false, &error) < 0);
	assert_non_null(strstr(error.text, path));
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(every_part_of_an_event_is_read, tear_down),
		cmocka_unit_test_teardown(amds_events_have_twelve_bits, tear_down),
		cmocka_unit_test_teardown(arms_events_have_a_number_alone, tear_down),
		cmocka_unit_test_teardown(registers_are_set_and_read, tear_down),
		cmocka_unit_test_teardown(mistakes_are_named_with_their_line, tear_down),
		cmocka_unit_test_teardown(a_line_has_a_bound, tear_down),
		cmocka_unit_test_teardown(a_file_is_read, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
