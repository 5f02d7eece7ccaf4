/* SPDX-License-Identifier: MIT */
/* A survey as the text of a QR code, and back: the values that are kept, the values that are lost,
 * and foreign text. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lib/survey/qr.h"
#include "lib/survey/survey_pack.h"
#include "lib/survey/survey_text.h"

static struct survey s, back;
static char text[65536];

/* A machine of two sockets, cores with two threads, and some noise. */
static void fill(unsigned cpus)
{
	memset(&s, 0, sizeof(s));
	s = (struct survey){ .producer = "0.1.0",
		             .architecture = "x86_64",
		             .vendor = "GenuineIntel",
		             .model = "A CPU @ 2.00GHz",
		             .firmware = "EDK II 0x10000, UEFI 2.7",
		             .hypervisor = "KVM",
		             .signature = 0x506e3,
		             .hz = 1999998765,
		             .cpus = cpus,
		             .passed = 24,
		             .failed = 2,
		             .absent = 1,
		             .nr_failures = 2,
		             .failures = { { "CPU 0 counters", "x" }, { "gaps", "y" } },
		             .nr_points = 33,
		             .all_mbs = 101234,
		             .threshold = 1000,
		             .period = 100000000,
		             .has_smi = true };
	s.skid = (struct survey_spread){ 256, 10, 11, 13, 20, 99 };
	s.late = (struct survey_spread){ 256, 5, 6, 7, 10, 50 };
	s.histogram[4] = 255;
	s.histogram[7] = 1;
	for (unsigned i = 0; i < s.nr_points; i++)
		s.points[i] = (struct survey_point){ (i % 2 ? 6144ULL : 4096ULL) << i / 2,
			                             1200 + 40ULL * i * i * i };
	for (unsigned a = 1; a < cpus; a++)
		for (unsigned b = 0; b < a; b++)
			s.pairs[survey_pair(a, b)] = (a / 32 != b / 32 ? 250000U
			                              : a / 2 != b / 2 ? 90000U
			                                               : 16000U) +
			                             (uint64_t)(rand() % 9000);
	for (unsigned i = 0; i < cpus; i++)
		s.cpu[i] = (struct survey_cpu){ .read_mbs = 12000 + (uint32_t)(rand() % 300),
			                        .offset = rand() % 40 - 20,
			                        .error = 30,
			                        .drift = rand() % 9 - 4,
			                        .noise = { 5, 500000000, 12000ULL * i, 9000, 8000,
			                                   3, 1, i, 7000 } };
}

static int set_up(void **state)
{
	(void)state;
	srand(7);
	fill(8);
	return 0;
}

static void assert_near(uint64_t value, uint64_t expected)
{
	assert_in_range(value * 1000, expected * 978, expected * 1022 + 1000);
}

static const char *unpack(void)
{
	return survey_unpack(&back, text, strlen(text));
}

static void all_fields_come_back(void **state)
{
	size_t length = survey_pack(&s, text, sizeof(text));

	(void)state;
	assert_int_equal(length, strlen(text));
	assert_null(unpack());
	assert_string_equal(back.producer, s.producer);
	assert_string_equal(back.architecture, s.architecture);
	assert_string_equal(back.vendor, s.vendor);
	assert_string_equal(back.model, s.model);
	assert_string_equal(back.firmware, s.firmware);
	assert_string_equal(back.hypervisor, "KVM");
	assert_string_equal(back.emulator, "");
	assert_int_equal(back.signature, s.signature);
	assert_int_equal(back.hz, s.hz);
	assert_int_equal(back.cpus, 8);
	assert_int_equal(back.passed * 100 + back.failed * 10 + back.absent, 2421);
	assert_int_equal(back.nr_failures, 2);
	assert_string_equal(back.failures[0].check, "CPU 0 counters");
	assert_string_equal(back.failures[1].check, "gaps");
	assert_int_equal(back.nr_points, 33);
	for (unsigned i = 0; i < 33; i++) {
		assert_int_equal(back.points[i].bytes, s.points[i].bytes);
		assert_near(back.points[i].ps, s.points[i].ps);
	}
	assert_memory_equal(&back.skid, &s.skid, sizeof(s.skid));
	assert_memory_equal(&back.late, &s.late, sizeof(s.late));
	assert_memory_equal(back.histogram, s.histogram, sizeof(s.histogram));
	assert_int_equal(back.threshold, s.threshold);
	assert_int_equal(back.period, s.period);
	assert_true(back.has_smi);
	assert_near(back.all_mbs, s.all_mbs);
	for (unsigned i = 0; i < survey_nr_pairs(&s); i++)
		assert_near(back.pairs[i], s.pairs[i]);
}

static void each_cpus_figures_come_back(void **state)
{
	(void)state;
	survey_pack(&s, text, sizeof(text));
	assert_null(unpack());
	for (unsigned i = 0; i < 8; i++) {
		assert_near(back.cpu[i].read_mbs, s.cpu[i].read_mbs);
		assert_int_equal(back.cpu[i].offset, s.cpu[i].offset);
		assert_int_equal(back.cpu[i].error, s.cpu[i].error);
		assert_int_equal(back.cpu[i].drift, s.cpu[i].drift);
		assert_memory_equal(&back.cpu[i].noise, &s.cpu[i].noise, sizeof(s.cpu[i].noise));
	}
}

static void extremes_come_back(void **state)
{
	(void)state;
	s.cpus = 2;
	s.pairs[0] = 0; /* not measured */
	s.points[0].ps = 1;
	s.points[1].ps = (1ULL << 48) - (1ULL << 43);
	s.points[2].ps = 0;
	s.cpu[1].offset = INT64_MIN;
	s.cpu[1].drift = INT64_MAX;
	s.cpu[0].noise.noise = UINT64_MAX / 1000 * 1000;
	s.cpu[1].noise.noise = 0;
	s.late.max = UINT64_MAX;
	strcpy(s.model, "\x01 \xff_");
	survey_pack(&s, text, sizeof(text));
	assert_null(unpack());
	assert_int_equal(back.pairs[0], 0);
	assert_int_equal(back.points[0].ps, 1);
	assert_near(back.points[1].ps, s.points[1].ps);
	assert_int_equal(back.points[2].ps, 0);
	assert_true(back.cpu[1].offset == INT64_MIN && back.cpu[1].drift == INT64_MAX);
	assert_true(back.cpu[0].noise.noise == s.cpu[0].noise.noise);
	assert_int_equal(back.cpu[1].noise.noise, 0);
	assert_true(back.late.max == UINT64_MAX);
	assert_string_equal(back.model, "? ?_");
}

static void equal_pairs_are_stored_once(void **state)
{
	size_t length;

	(void)state;
	for (unsigned i = 0; i < survey_nr_pairs(&s); i++)
		s.pairs[i] = 1000;
	length = survey_pack(&s, text, sizeof(text));
	s.pairs[5] = 0;
	assert_in_range(survey_pack(&s, text, sizeof(text)) - length, 1, 12);
	assert_null(unpack());
	assert_int_equal(back.pairs[5], 0);
	assert_near(back.pairs[4], 1000);
	assert_near(back.pairs[6], 1000);
	assert_near(back.pairs[27], 1000);
}

static void a_text_without_room_lacks_the_map_and_then_the_cpus(void **state)
{
	size_t whole = survey_pack(&s, text, sizeof(text)), middle, least;

	(void)state;
	middle = survey_pack(&s, text, whole);
	assert_in_range(middle, 100, whole - 20);
	assert_null(unpack());
	assert_int_equal(back.pairs[0], 0);
	assert_int_equal(back.cpu[7].noise.smi, 7);
	least = survey_pack(&s, text, middle);
	assert_in_range(least, 100, middle - 20);
	assert_null(unpack());
	assert_int_equal(back.cpu[7].noise.smi, 0);
	assert_int_equal(back.skid.max, 99);
	for (size_t size = 0; size <= least; size++)
		assert_int_equal(survey_pack(&s, text, size), 0);
	assert_int_equal(survey_pack(&s, text, least + 1), least);
}

static void the_largest_machine_fits_a_qr_code(void **state)
{
	size_t length;

	(void)state;
	fill(32);
	length = survey_pack(&s, text, QR_BYTES_MAX + 1);
	assert_in_range(length, 500, QR_BYTES_MAX);
	assert_null(unpack());
	assert_near(back.pairs[495], s.pairs[495]);
	fill(SURVEY_CPUS);
	length = survey_pack(&s, text, QR_BYTES_MAX + 1);
	assert_in_range(length, 150, QR_BYTES_MAX);
	assert_null(unpack());
	assert_int_equal(back.cpus, SURVEY_CPUS);
}

static void blanks_and_line_breaks_mean_nothing(void **state)
{
	char spaced[sizeof(text)];
	size_t to = 0;

	(void)state;
	survey_pack(&s, text, sizeof(text));
	for (size_t i = 0; text[i]; i++) {
		spaced[to++] = text[i];
		if (i % 7 == 0)
			spaced[to++] = " \n\r\t"[i / 7 % 4];
	}
	assert_null(survey_unpack(&back, spaced, to));
	assert_string_equal(back.firmware, s.firmware);
}

static void a_changed_or_cut_text_is_refused(void **state)
{
	size_t length = survey_pack(&s, text, sizeof(text));

	(void)state;
	for (size_t i = 0; i < length; i++) {
		char kept = text[i];

		text[i] = kept == 'B' ? 'C' : 'B';
		assert_non_null(unpack());
		text[i] = kept;
		assert_non_null(survey_unpack(&back, text, i));
	}
	assert_null(unpack());
	assert_string_equal(survey_unpack(&back, "bareperf2:", 10),
	                    "it does not begin with bareperf1:");
	assert_string_equal(survey_unpack(&back, text, 40), "it is cut off or damaged");
	text[length - 1] = text[length - 1] == 'A' ? 'B' : 'A';
	assert_string_equal(unpack(), "its checksum is wrong: a character is missing or changed");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(all_fields_come_back, set_up),
		cmocka_unit_test_setup(each_cpus_figures_come_back, set_up),
		cmocka_unit_test_setup(extremes_come_back, set_up),
		cmocka_unit_test_setup(equal_pairs_are_stored_once, set_up),
		cmocka_unit_test_setup(a_text_without_room_lacks_the_map_and_then_the_cpus, set_up),
		cmocka_unit_test_setup(the_largest_machine_fits_a_qr_code, set_up),
		cmocka_unit_test_setup(blanks_and_line_breaks_mean_nothing, set_up),
		cmocka_unit_test_setup(a_changed_or_cut_text_is_refused, set_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
