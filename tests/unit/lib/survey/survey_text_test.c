/* SPDX-License-Identifier: MIT */
/* A survey as text that can be pasted, and as JSON. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>
#include <jansson.h>

#include "lib/survey/survey_json.h"
#include "lib/survey/survey_text.h"

static struct survey s;
static char text[8 << 20];
static size_t used;

static __attribute__((format(printf, 1, 2))) void print(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	used += (size_t)vsnprintf(text + used, sizeof(text) - used, format, arguments);
	va_end(arguments);
	assert_true(used < sizeof(text));
}

/* A small machine with at least one of everything. */
static int set_up(void **state)
{
	(void)state;
	used = 0;
	*text = '\0';
	memset(&s, 0, sizeof(s));
	s = (struct survey){
		.producer = "1.2.3",
		.architecture = "x86_64",
		.vendor = "GenuineIntel",
		.model = "A \"CPU\"",
		.firmware = "EDK II 0x1, UEFI 2.7",
		.signature = 0x506e3,
		.hz = 2000000000,
		.cpus = 3,
		.passed = 20,
		.failed = 1,
		.absent = 2,
		.nr_failures = 1,
		.failures = { { "gaps", "away" } },
		.nr_points = 4,
		.points = { { 4096, 1240 }, { 6144, 1250 }, { 8192, 1260 }, { 1U << 20, 80000 } },
		.all_mbs = 20040,
		.threshold = 1000,
		.period = 100000000,
		.has_smi = true,
		.pairs = { 52149, 52150, 160000 }
	};
	s.skid = (struct survey_spread){ 256, 10, 11, 13, 20, 99 };
	s.late = (struct survey_spread){ 256, 5, 6, 7, 10, 50 };
	s.histogram[4] = 256;
	for (unsigned i = 0; i < 3; i++)
		s.cpu[i] = (struct survey_cpu){ .read_mbs = 9000 + i * 1000,
			                        .noise = { .periods = 5, .runtime = 500000000 } };
	s.cpu[1].noise =
	    (struct survey_noise){ 5, 500000000, 138000, 30000, 20000, 4, 2, 3, 20000 };
	s.cpu[2].offset = -120;
	s.cpu[2].error = 12;
	s.cpu[2].drift = 30;
	return 0;
}

static void the_text_has_all_of_it(void **state)
{
	(void)state;
	survey_text(&s, print);
	assert_string_equal(
	    text,
	    "bareperf 1.2.3 self-test, x86_64\n"
	    "CPU        3 of GenuineIntel, A \"CPU\" (0x506e3), clock 2000000000 Hz\n"
	    "firmware   EDK II 0x1, UEFI 2.7\n"
	    "checks     20 good, 1 wrong, 2 not there\n"
	    "  wrong    gaps: away\n"
	    "core to core, ns for a cache line's round trip\n"
	    "  CPU        0        1\n"
	    "    1     52.1\n"
	    "    2     52.2    160.0\n"
	    "  near  52.2 (52.1 to 52.2), 2 pairs; groups: 0-2\n"
	    "  then  160.0 (160.0 to 160.0), 1 pairs\n"
	    "latency of dependent loads, ns\n"
	    "  4K 1.2 6K 1.3 8K 1.3 1M 80.0\n"
	    "  steps: up to 8K 1.3, up to 1M 80.0\n"
	    "reads from memory, GB/s: one CPU 9.0 to 11.0, all at once 20.0\n"
	    "clocks, to CPU 0's within 12 ns: CPU 2's is -120 ns off, the most; CPU 2's drifts "
	    "most, 30 ppb\n"
	    "a counter's interrupt: 256, late by 10, 13, 99 events and 5, 7, 50 ns (least, "
	    "median, most)\n"
	    "                                                  Hardware-related Noise\n"
	    "duration:   0 00:00:01 | time is in us\n"
	    "CPU Period       Runtime        Noise  % CPU Aval   Max Noise   Max Single      HW "
	    "    NMI     SMI\n"
	    "  0 #5            500000            0   100.00000           0            0       0 "
	    "      0       0\n"
	    "  1 #5            500000          138    99.97240          30           20       4 "
	    "      2       3\n"
	    "  2 #5            500000            0   100.00000           0            0       0 "
	    "      0       0\n");
}

static void an_emulators_figures_are_reported_as_meaningless(void **state)
{
	(void)state;
	strcpy(s.emulator, "QEMU's TCG");
	survey_text(&s, print);
	assert_non_null(strstr(
	    text, "\nemulated by QEMU's TCG: no figure below means anything for a real machine\n"));
}

static void a_virtual_machine_is_named(void **state)
{
	(void)state;
	strcpy(s.hypervisor, "KVM");
	survey_text(&s, print);
	assert_non_null(
	    strstr(text, "\nvirtual, by KVM: its host's work may be in these figures\n"));
	used = 0;
	survey_json(&s, print);
	assert_non_null(strstr(text, "\"hypervisor\":\"KVM\","));
}

static void a_machine_of_nothing_has_a_short_text(void **state)
{
	(void)state;
	s = (struct survey){ .cpus = 1, .hz = 1 };
	survey_text(&s, print);
	assert_null(strstr(text, "core to core"));
	assert_null(strstr(text, "Noise"));
	assert_null(strstr(text, "clocks"));
	assert_null(strstr(text, "latency"));
	assert_null(strstr(text, "interrupt"));
	assert_null(strstr(text, "GB/s"));
}

static unsigned nr_lines(void)
{
	unsigned n = 0;

	for (const char *at = text; *at; at++)
		n += *at == '\n';
	return n;
}

/* As many CPUs, sizes, levels, failures and kinds of noise as possible. */
static void fill(unsigned cpus)
{
	s.cpus = cpus;
	s.nr_points = 33;
	for (unsigned i = 0; i < 33; i++)
		s.points[i] = (struct survey_point){ 4096ULL << i / 2, 1000ULL << i / 4 };
	strcpy(s.emulator, "QEMU's TCG");
	s.failed = 100;
	s.nr_failures = SURVEY_FAILURES;
	for (unsigned i = 0; i < survey_nr_pairs(&s); i++)
		s.pairs[i] = 1000ULL << i * 10 / survey_nr_pairs(&s);
	for (unsigned i = 0; i < cpus; i++)
		s.cpu[i].noise = (struct survey_noise){ 5, 500000000, i * 1000, 1, 1, 1, 1, 1, 1 };
}

static void the_survey_is_short_enough_to_be_pasted(void **state)
{
	(void)state;
	for (unsigned cpus = 1; cpus <= SURVEY_CPUS; cpus = cpus < 20 ? cpus + 1 : cpus * 2 - 4) {
		used = 0;
		fill(cpus);
		survey_text(&s, print);
		assert_in_range(nr_lines(), 10, SURVEY_TEXT_LINES);
	}
}

static void a_table_of_many_cpus_has_the_noisiest(void **state)
{
	(void)state;
	fill(200);
	survey_text(&s, print);
	assert_non_null(strstr(text, "\n195 #5"));
	assert_non_null(strstr(text, "\n199 #5"));
	assert_null(strstr(text, "\n194 #5"));
	assert_non_null(strstr(text, "\n    the other 195 CPUs had less noise\n"));
}

static void noise_alone_has_the_watched_cpus(void **state)
{
	(void)state;
	s.cpu[0].noise = (struct survey_noise){ 0 };
	survey_text_noise(&s, s.cpus, print);
	assert_string_equal(
	    text,
	    "                                                  Hardware-related Noise\n"
	    "duration:   0 00:00:01 | time is in us\n"
	    "CPU Period       Runtime        Noise  % CPU Aval   Max Noise   Max Single      HW "
	    "    NMI     SMI\n"
	    "  1 #5            500000          138    99.97240          30           20       4 "
	    "      2       3\n"
	    "  2 #5            500000            0   100.00000           0            0       0 "
	    "      0       0\n");
}

static void on_arm_all_gaps_are_in_the_last_column(void **state)
{
	(void)state;
	strcpy(s.architecture, "aarch64");
	s.has_smi = false;
	survey_text_noise(&s, s.cpus, print);
	assert_non_null(strstr(text, "     NMI     GAP\n"));
	assert_non_null(strstr(text, " 20       4       2       6\n"));
}

static json_int_t number(const json_t *of, const char *name)
{
	return json_integer_value(json_object_get(of, name));
}

static void json_of_noise_is_one_line(void **state)
{
	json_t *root, *at;

	(void)state;
	survey_json_of_noise(&s, print);
	assert_ptr_equal(strchr(text, '\n'), text + used - 1);
	root = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
	assert_non_null(root);
	assert_string_equal(json_string_value(json_object_get(root, "bareperf")), "1.2.3");
	assert_null(json_object_get(root, "ladder"));
	at = json_array_get(json_object_get(json_object_get(root, "noise"), "cpus"), 1);
	assert_int_equal(number(at, "max_smi_ns"), 20000);
	json_decref(root);
}

static void json_has_every_figure(void **state)
{
	json_t *root, *at;

	(void)state;
	survey_json(&s, print);
	assert_null(strchr(text, '\n'));
	root = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
	assert_non_null(root);
	assert_string_equal(json_string_value(json_object_get(root, "model")), "A \"CPU\"");
	assert_null(json_object_get(root, "emulator"));
	assert_int_equal(number(root, "hz"), 2000000000);
	assert_int_equal(number(root, "all_read_mbs"), 20040);
	at = json_object_get(root, "core_to_core_ps");
	assert_int_equal(json_array_size(at), 2);
	assert_int_equal(json_integer_value(json_array_get(json_array_get(at, 1), 1)), 160000);
	assert_int_equal(json_array_size(json_object_get(root, "levels")), 2);
	at = json_array_get(json_object_get(root, "ladder"), 3);
	assert_int_equal(number(at, "bytes"), 1 << 20);
	assert_int_equal(number(at, "ps"), 80000);
	assert_int_equal(json_array_size(json_object_get(root, "steps")), 2);
	at = json_array_get(json_object_get(root, "clocks"), 2);
	assert_int_equal(number(at, "offset_ns"), -120);
	assert_int_equal(number(at, "drift_ppb"), 30);
	at = json_object_get(root, "interrupts");
	assert_int_equal(number(json_object_get(at, "skid_events"), "p90"), 20);
	assert_int_equal(json_integer_value(json_array_get(json_object_get(at, "histogram"), 4)),
	                 256);
	at = json_array_get(json_object_get(json_object_get(root, "noise"), "cpus"), 1);
	assert_int_equal(number(at, "noise_ns"), 138000);
	assert_int_equal(number(at, "smi"), 3);
	assert_int_equal(json_array_size(json_object_get(root, "read_mbs")), 3);
	json_decref(root);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(the_text_has_all_of_it, set_up),
		cmocka_unit_test_setup(an_emulators_figures_are_reported_as_meaningless, set_up),
		cmocka_unit_test_setup(a_virtual_machine_is_named, set_up),
		cmocka_unit_test_setup(a_machine_of_nothing_has_a_short_text, set_up),
		cmocka_unit_test_setup(the_survey_is_short_enough_to_be_pasted, set_up),
		cmocka_unit_test_setup(a_table_of_many_cpus_has_the_noisiest, set_up),
		cmocka_unit_test_setup(noise_alone_has_the_watched_cpus, set_up),
		cmocka_unit_test_setup(on_arm_all_gaps_are_in_the_last_column, set_up),
		cmocka_unit_test_setup(json_of_noise_is_one_line, set_up),
		cmocka_unit_test_setup(json_has_every_figure, set_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
