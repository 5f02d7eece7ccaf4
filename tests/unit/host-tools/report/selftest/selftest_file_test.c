/* SPDX-License-Identifier: MIT */
/* A self-test on the host: its JSON and its QR code's text are read as the machine wrote them, and
 * shown as a page. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "host-tools/report/selftest/selftest_file.h"
#include "host-tools/report/selftest/selftest_html.h"
#include "host-tools/report/selftest/selftest_json.h"
#include "lib/survey/survey_json.h"
#include "lib/survey/survey_pack.h"
#include "lib/survey/survey_text.h"

static struct survey s, back;
static struct error error;
static char text[65536], shown[2][65536];
static size_t used;

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
	memset(&s, 0, sizeof(s));
	s = (struct survey){
		.producer = "1.2.3",
		.architecture = "aarch64",
		.vendor = "Arm",
		.model = "A <CPU>",
		.firmware = "EDK II",
		.hypervisor = "TCG",
		.emulator = "QEMU's TCG",
		.signature = 0x410fd0b1,
		.hz = 62500000,
		.cpus = 4,
		.passed = 20,
		.failed = 1,
		.absent = 2,
		.nr_failures = 1,
		.failures = { { "gaps", "away" } },
		.nr_points = 4,
		.points = { { 4096, 1240 }, { 6144, 1250 }, { 8192, 1260 }, { 12288, 80000 } },
		.all_mbs = 20040,
		.threshold = 1000,
		.period = 100000000,
		.pairs = { 16000, 90000, 91000, 92000, 93000, 0 }
	};
	s.skid = (struct survey_spread){ 256, 10, 11, 13, 20, 99 };
	s.late = (struct survey_spread){ 256, 5, 6, 7, 10, 50 };
	s.histogram[4] = 256;
	for (unsigned i = 0; i < 4; i++)
		s.cpu[i] = (struct survey_cpu){ .read_mbs = 9000 + i,
			                        .offset = -5 * (int)i,
			                        .error = 12,
			                        .drift = (int)i,
			                        .noise = { 5, 500000000, 1000ULL * i, 9000, 8000, 3,
			                                   1, 2, 7000 } };
	used = 0;
	error.text[0] = '\0';
	return 0;
}

static void write_json(void)
{
	print(
	    "{\"selftest\":1,\"bareperf\":\"1.2.3\",\"architecture\":\"aarch64\",\"pass\":20,"
	    "\"fail\":1,\"absent\":2,\"checks\":[{\"check\":\"clock\",\"verdict\":\"PASS\","
	    "\"text\":\"good\"},{\"check\":\"gaps\",\"verdict\":\"FAIL\",\"text\":\"away\"}],"
	    "\"survey\":");
	survey_json(&s, print);
	print("}\n");
}

/* The text that a user sees. */
static void show(const struct survey *survey, char *to)
{
	used = 0;
	survey_text(survey, print);
	strcpy(to, text);
}

static void json_is_read_as_it_was_written(void **state)
{
	(void)state;
	write_json();
	assert_int_equal(selftest_json_read(text, &back, &error), 0);
	assert_memory_equal(&back, &s, sizeof(s));
}

static void the_text_of_a_qr_code_is_read_from_the_command_line(void **state)
{
	(void)state;
	memset(s.failures[0].text, 0, sizeof(s.failures[0].text));
	assert_true(survey_pack(&s, text, sizeof(text)));
	assert_int_equal(selftest_file_read(text, &back, &error), 0);
	show(&back, shown[1]);
	assert_non_null(strstr(shown[1], "CPU        4 of Arm, A <CPU> (0x410fd0b1)"));
	assert_non_null(strstr(shown[1], "  wrong    gaps: \n"));
}

static void assert_refused(const char *was, const char *becomes, const char *why)
{
	char *at;

	set_up(NULL);
	write_json();
	at = strstr(text, was);
	assert_non_null(at);
	memmove(at + strlen(becomes), at + strlen(was), strlen(at + strlen(was)) + 1);
	memcpy(at, becomes, strlen(becomes));
	assert_int_equal(selftest_json_read(text, &back, &error), -EINVAL);
	if (!strstr(error.text, why))
		fail_msg("\"%s\" instead of \"%s\"", error.text, why);
}

static void wrong_json_is_refused_by_its_field(void **state)
{
	(void)state;
	assert_refused("{", "[", "no JSON: line 1");
	assert_refused("\"survey\"", "\"surveys\"",
	               "\"survey\" is missing: an older bareperf wrote it");
	assert_refused("\"cpus\":4", "\"cpus\":257", "\"cpus\" is no whole number, or too large");
	assert_refused("\"cpus\":4", "\"cpus\":-1", "\"cpus\" is no whole number, or too large");
	assert_refused("\"cpus\":4", "\"cpus\":3",
	               "\"core_to_core_ps\" has another number of elements");
	assert_refused("[16000]", "[16000,1]", "\"core_to_core_ps\" has another number");
	assert_refused("[16000]", "[\"x\"]", "\"core_to_core_ps\" is no whole number");
	assert_refused("[16000]", "7", "\"core_to_core_ps\" has another number");
	assert_refused("\"hz\"", "\"h\"", "\"hz\" is missing");
	assert_refused("\"vendor\":\"Arm\"", "\"vendor\":1", "\"vendor\" is no text");
	assert_refused("\"bytes\":6144", "\"bytes\":4096",
	               "\"ladder\" has sizes that do not ascend");
	assert_refused("\"offset_ns\":-5", "\"offset_ns\":1.5", "\"offset_ns\" is no whole number");
	assert_refused("\"all_read_mbs\":20040", "\"all_read_mbs\":4294967296",
	               "\"all_read_mbs\" is no whole number, or too large");
	assert_refused("\"histogram\":[0,", "\"histogram\":[",
	               "\"histogram\" has another number of elements");
	assert_refused("\"fail\":1", "\"fail\":65536", "\"fail\" is no whole number, or too large");
}

static void other_text_and_files_are_refused(void **state)
{
	(void)state;
	assert_int_equal(selftest_file_read("/nonexistent/x", &back, &error), -ENOENT);
	assert_int_equal(selftest_file_read("bareperf1:AAAA", &back, &error), -EINVAL);
	assert_non_null(strstr(error.text, "it is cut off or damaged; copy it again"));
	assert_int_equal(selftest_file_read("/dev/null", &back, &error), -EINVAL);
	assert_non_null(strstr(error.text, "neither the JSON of a self-test nor the text"));
	assert_false(selftest_file_is("/nonexistent/x"));
	assert_false(selftest_file_is("/dev/null"));
}

static void the_page_has_a_cell_for_each_pair_and_a_point_for_each_size(void **state)
{
	char *page = NULL;
	size_t size;
	FILE *out = open_memstream(&page, &size);
	unsigned cells = 0, points = 0;

	(void)state;
	selftest_html(&s, out);
	assert_int_equal(fclose(out), 0);
	for (const char *at = page; (at = strstr(at, "<rect")); at++)
		cells++;
	for (const char *at = page; (at = strstr(at, "<circle")); at++)
		points++;
	assert_int_equal(cells, 4 * 3);
	assert_int_equal(points, 4);
	assert_non_null(strstr(page, "CPU 1 and CPU 0: 16.0 ns"));
	assert_non_null(strstr(page, "CPU 3 and CPU 2: not measured"));
	assert_non_null(strstr(page, "12 KiB: 80.0 ns"));
	assert_non_null(strstr(page, "A &lt;CPU&gt;"));
	assert_null(strstr(page, "<CPU>"));
	assert_null(strstr(page, "<script"));
	assert_non_null(strstr(page, "no figure here means anything for a real machine"));
	assert_null(strstr(page, "nan"));
	assert_null(strstr(page, "inf"));
	free(page);
}

static void a_page_of_a_machine_of_nothing_has_no_pictures(void **state)
{
	char *page = NULL;
	size_t size;
	FILE *out = open_memstream(&page, &size);

	(void)state;
	s = (struct survey){ .cpus = 1, .nr_points = 1 };
	selftest_html(&s, out);
	assert_int_equal(fclose(out), 0);
	assert_null(strstr(page, "<svg"));
	free(page);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(json_is_read_as_it_was_written, set_up),
		cmocka_unit_test_setup(the_text_of_a_qr_code_is_read_from_the_command_line, set_up),
		cmocka_unit_test_setup(wrong_json_is_refused_by_its_field, set_up),
		cmocka_unit_test_setup(other_text_and_files_are_refused, set_up),
		cmocka_unit_test_setup(the_page_has_a_cell_for_each_pair_and_a_point_for_each_size,
		                       set_up),
		cmocka_unit_test_setup(a_page_of_a_machine_of_nothing_has_no_pictures, set_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
