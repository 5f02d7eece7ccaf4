/* SPDX-License-Identifier: MIT */
/* Marks become the same text as printf() makes, for any format. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "writer/perfdata/mark_text.h"

#define WORDS 8U /* words before RAW's text: header, id, ip, tid, time, cpu, period, RAW's size */

static const struct perf_event_attr attr = {
	.type = PERF_TYPE_SOFTWARE,
	.config = PERF_COUNT_SW_BPF_OUTPUT,
	.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID |
	               PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD | PERF_SAMPLE_RAW,
};

/* As the machine writes it: format, room of two words per value, the values. Exactly its size, so
 * that the sanitizer knows its end. */
static struct perf_event_header *make(const char *format, const uint64_t *values, unsigned count)
{
	size_t text = (4 + (count != 0) + strlen(format) + 1 + 7) / 8 * 8;
	size_t raw = text + 24 * (size_t)count, size = 8 * (WORDS - 1) + raw;
	uint8_t *record = malloc(size);
	struct perf_event_header header = { PERF_RECORD_SAMPLE, 2, (uint16_t)size };
	uint32_t raw_size = (uint32_t)raw - 4;

	assert_non_null(record);
	memset(record, 0xa5, size); /* stale bytes where nothing is written */
	memcpy(record, &header, sizeof(header));
	memcpy(record + 56, &raw_size, 4);
	memset(record + 60, 0, text - 4);
	if (count)
		record[60] = (uint8_t)count;
	memcpy(record + 60 + (count != 0), format, strlen(format) + 1);
	memcpy(record + size - 8 * (size_t)count, values, 8 * (size_t)count);
	return (struct perf_event_header *)(void *)record;
}

static void says(const char *expected, const char *format, unsigned count, ...)
{
	uint64_t values[4];
	struct perf_event_header *record;
	struct sample sample;
	char text[MARK_TEXT_MAX];
	uint16_t size;
	va_list list;

	va_start(list, count);
	for (unsigned i = 0; i < count; i++)
		values[i] = va_arg(list, uint64_t);
	va_end(list);
	record = make(format, values, count);
	size = record->size;
	for (int twice = 0; twice < 2; twice++) { /* several reads give the same */
		mark_text_put(record, &attr);
		assert_int_equal(record->size, size);
		assert_true(sample_parse(record, &attr, &sample));
		assert_true(mark_text_get(&sample, text, sizeof(text)));
		assert_string_equal(text, expected);
		for (size_t i = strlen((const char *)sample.raw); i < sample.raw_size; i++)
			assert_int_equal(sample.raw[i], 0); /* otherwise perf shows numbers */
	}
	free(record);
}

static uint64_t bits(double number)
{
	uint64_t value;

	memcpy(&value, &number, sizeof(value));
	return value;
}

static void values_are_printed_as_printf_does(void **state)
{
	(void)state;
	says("phase", "phase", 0);
	says("n=-5", "n=%d", 1, (uint64_t)-5);
	says("n=4294967291", "n=%u", 1, (uint64_t)-5);
	says("18446744073709551611 -5", "%lu %ld", 2, (uint64_t)-5, (uint64_t)-5);
	says("00ff|0xff|ff  |", "%04hhx|%#hhx|%-4hhx|", 3, (uint64_t)0xabff, (uint64_t)0xabff,
	     (uint64_t)0xabff);
	says("-1 65535 -1", "%hd %hu %hhd", 3, (uint64_t)-1, (uint64_t)-1, (uint64_t)-1);
	says("A 100% 0x1000", "%c 100%% %p", 2, (uint64_t)'A', (uint64_t)0x1000);
	says("2.5 1.00e+10 0x1p-1", "%g %.2e %a", 3, bits(2.5), bits(1e10), bits(0.5));
	says("      3.14|+2", "%10.2f|%+jd", 2, bits(3.14159), (uint64_t)2);
	says("9223372036854775807", "%lld", 1, (uint64_t)INT64_MAX);
}

static void text_without_room_is_cut_and_marked(void **state)
{
	char expected[400];

	(void)state;
	snprintf(expected, sizeof(expected), "%.0f", 1e300);
	expected[27 - 3] = 0;
	strcat(expected, "...");
	says(expected, "%f", 1, bits(1e300));
}

static void text_that_is_no_conversion_stays_unchanged(void **state)
{
	(void)state;
	says("%n%", "%n%", 1, (uint64_t)1);
	says("%*d", "%*d", 1, (uint64_t)1);
	says("1 %d", "%d %d", 1, (uint64_t)1);
	says("a.b", "a\nb", 1, (uint64_t)1);
	says("%12345d", "%12345d", 1, (uint64_t)1);
}

/* Recordings of other tools, and of an older <bareperf/mark.h>. */
static void an_unprintable_conversion_skips_its_values(void **state)
{
	(void)state;
	says("%s %d", "%s %d", 1, (uint64_t)1);
	says("%s 2", "%s %d", 2, (uint64_t)1, (uint64_t)2);
	says("%-8.3ls 2", "%-8.3ls %d", 2, (uint64_t)1, (uint64_t)2);
	says("%Lf 2 %n 4", "%Lf %d %n %d", 4, (uint64_t)1, (uint64_t)2, (uint64_t)3, (uint64_t)4);
	says("%*.*d 4", "%*.*d %d", 4, (uint64_t)1, (uint64_t)2, (uint64_t)3, (uint64_t)4);
	says("%12345d 2", "%12345d %d", 2, (uint64_t)1, (uint64_t)2);
	says("%.1234f %+-+-d 3", "%.1234f %+-+-d %d", 3, (uint64_t)1, (uint64_t)2, (uint64_t)3);
	says("%y 1", "%y %d", 1, (uint64_t)1);
}

static void names_show_regions(void **state)
{
	const char *name;

	(void)state;
	assert_int_equal(mark_text_kind("begin parse", &name), MARK_BEGIN);
	assert_string_equal(name, "parse");
	assert_int_equal(mark_text_kind("end parse", &name), MARK_END);
	assert_string_equal(name, "parse");
	assert_int_equal(mark_text_kind("ending", &name), MARK_MOMENT);
	assert_string_equal(name, "ending");
	assert_int_equal(mark_text_kind("begin", &name), MARK_MOMENT);
}

static void names_show_phases_and_the_firmwares_times(void **state)
{
	const char *name;

	(void)state;
	assert_int_equal(mark_text_kind("phase warm-up", &name), MARK_PHASE);
	assert_string_equal(name, "warm-up");
	assert_int_equal(mark_text_kind("phase", &name), MARK_MOMENT);
	assert_int_equal(mark_text_kind("phases", &name), MARK_MOMENT);
	assert_int_equal(mark_text_kind("FPDT 1.5 s: reset ends", &name), MARK_FIRMWARE);
	assert_string_equal(name, "FPDT 1.5 s: reset ends");
	assert_int_equal(mark_text_kind("coreboot 1.5 s: x", &name), MARK_FIRMWARE);
	assert_int_equal(mark_text_kind("bootstage 1.5 s: x", &name), MARK_FIRMWARE);
	assert_int_equal(mark_text_kind("boot counter 1.5 s: x", &name), MARK_FIRMWARE);
	assert_string_equal(name, "boot counter 1.5 s: x");
	assert_int_equal(mark_text_kind("boot device Fat: Pci(1,0)", &name), MARK_DEVICE);
	assert_string_equal(name, "Fat: Pci(1,0)");
	assert_int_equal(mark_text_kind("boot", &name), MARK_MOMENT);
}

static void others_samples_are_left_alone(void **state)
{
	struct perf_event_attr other = attr;
	struct perf_event_header *record = make("%d", (const uint64_t[]){ 1 }, 1), *copy;

	(void)state;
	copy = malloc(record->size);
	assert_non_null(copy);
	memcpy(copy, record, record->size);
	other.config = PERF_COUNT_SW_CPU_CLOCK;
	mark_text_put(record, &other);
	record->type = copy->type = PERF_RECORD_LOST;
	mark_text_put(record, &attr);
	assert_memory_equal(record, copy, record->size);
	free(copy);
	free(record);
}

/* Under the sanitizers: nothing outside the record is read or written. */
static void garbage_stays_within_its_record(void **state)
{
	static const char soup[] = "%%%%dxfgehlzjt.0123456789-+ #csn*\1\2\3\4\5";
	uint64_t values[4];

	(void)state;
	srand(1);
	for (int i = 0; i < 60000; i++) {
		char format[60];
		size_t length = (size_t)rand() % sizeof(format);
		struct perf_event_header *record;
		struct sample sample;
		char text[24];

		for (size_t c = 0; c < length; c++)
			format[c] = soup[(size_t)rand() % (sizeof(soup) - 1)];
		format[length ? length - 1 : 0] = 0;
		for (unsigned v = 0; v < 4; v++)
			values[v] = (uint64_t)rand() << 33 ^ (uint64_t)rand() << 11;
		record = make(format, values, (unsigned)rand() % 5);
		if (rand() % 4 == 0) /* RAW's size, or its first bytes */
			((uint8_t *)record)[56 + rand() % 8] = (uint8_t)rand();
		mark_text_put(record, &attr);
		if (sample_parse(record, &attr, &sample))
			mark_text_get(&sample, text, sizeof(text));
		free(record);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(values_are_printed_as_printf_does),
		cmocka_unit_test(text_without_room_is_cut_and_marked),
		cmocka_unit_test(text_that_is_no_conversion_stays_unchanged),
		cmocka_unit_test(an_unprintable_conversion_skips_its_values),
		cmocka_unit_test(names_show_regions),
		cmocka_unit_test(names_show_phases_and_the_firmwares_times),
		cmocka_unit_test(others_samples_are_left_alone),
		cmocka_unit_test(garbage_stays_within_its_record),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
