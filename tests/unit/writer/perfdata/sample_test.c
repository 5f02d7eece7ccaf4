/* SPDX-License-Identifier: MIT */
/* Reading records' fields, and the formatter that prints them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "host-tools/util/format.h"
#include "writer/perfdata/sample.h"

#define EVERYTHING                                                                         \
	(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |    \
	 PERF_SAMPLE_ADDR | PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU |     \
	 PERF_SAMPLE_PERIOD | PERF_SAMPLE_READ | PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_RAW | \
	 PERF_SAMPLE_BRANCH_STACK)
#define WORDS 31U
#define GROUP                                                                  \
	(PERF_FORMAT_GROUP | PERF_FORMAT_ID | PERF_FORMAT_TOTAL_TIME_ENABLED | \
	 PERF_FORMAT_TOTAL_TIME_RUNNING)

static const struct perf_event_attr every = { .sample_type = EVERYTHING,
	                                      .read_format = GROUP,
	                                      .branch_sample_type = PERF_SAMPLE_BRANCH_ANY |
	                                                            PERF_SAMPLE_BRANCH_HW_INDEX };

/* All fields, in perf's order. */
static const uint64_t whole[] = {
	PERF_RECORD_SAMPLE | WORDS * 8ULL << 48,
	77,             /* IDENTIFIER */
	0x1234,         /* IP */
	1 | 2ULL << 32, /* TID */
	1000,           /* TIME */
	0x5678,         /* ADDR */
	77,             /* ID */
	78,             /* STREAM_ID */
	3,              /* CPU */
	500,            /* PERIOD */
	2,
	10,
	11, /* READ: nr, enabled, running, */
	100,
	1,
	200,
	2, /* {value, id} twice */
	3,
	PERF_CONTEXT_USER,
	0x1234,
	0x4321,             /* CALLCHAIN */
	10 | 0xabULL << 32, /* RAW: size, then ten bytes and padding */
	0,
	2, /* BRANCH_STACK: nr, hw_idx, {from, to, flags} twice */
	31,
	0x100,
	0x200,
	PERF_BRANCH_PREDICTED,
	0x2f0,
	0x0ff,
	PERF_BRANCH_MISPRED,
};

static void every_field_is_found_in_perfs_order(void **state)
{
	const struct perf_event_header *record = (const void *)whole;
	struct sample s;

	(void)state;
	assert_int_equal(sizeof(whole), WORDS * 8);
	assert_true(sample_parse(record, &every, &s));
	assert_int_equal(s.id, 77);
	assert_int_equal(s.ip, 0x1234);
	assert_int_equal(s.pid, 1);
	assert_int_equal(s.tid, 2);
	assert_int_equal(s.time, 1000);
	assert_int_equal(s.addr, 0x5678);
	assert_int_equal(s.stream_id, 78);
	assert_int_equal(s.cpu, 3);
	assert_int_equal(s.period, 500);
	assert_int_equal(s.read_words, 7);
	assert_int_equal(s.read[5], 200);
	assert_int_equal(s.chain_length, 3);
	assert_int_equal(s.chain[2], 0x4321);
	assert_int_equal(s.raw_size, 10);
	assert_int_equal(s.raw[0], 0xab);
	assert_int_equal(s.nr_branches, 2);
	assert_int_equal(s.branches[0].from, 0x100);
	assert_int_equal(s.branches[0].flags, PERF_BRANCH_PREDICTED);
	assert_int_equal(s.branches[1].to, 0x0ff);
	assert_int_equal(s.branches[1].flags, PERF_BRANCH_MISPRED);
}

static void hw_idx_is_there_only_if_attr_has_it(void **state)
{
	static const uint64_t words[] = {
		PERF_RECORD_SAMPLE | 5ULL * 8 << 48, 1, 0x100, 0x200, PERF_BRANCH_PREDICTED,
	};
	struct perf_event_attr attr = { .sample_type = PERF_SAMPLE_BRANCH_STACK };
	struct sample s;

	(void)state;
	assert_true(sample_parse((const void *)words, &attr, &s));
	assert_int_equal(s.nr_branches, 1);
	assert_int_equal(s.branches->to, 0x200);
	assert_false(s.is_call_stack);
	attr.branch_sample_type = PERF_SAMPLE_BRANCH_CALL_STACK;
	assert_true(sample_parse((const void *)words, &attr, &s));
	assert_true(s.is_call_stack);
	attr.branch_sample_type = PERF_SAMPLE_BRANCH_HW_INDEX;
	assert_false(sample_parse((const void *)words, &attr, &s));
}

/* Other tools' samples may have registers and a stack; the access to memory comes after these. */
static void accesses_to_memory_follow_all_lists(void **state)
{
	static const uint64_t words[] = {
		PERF_RECORD_SAMPLE | 16ULL * 8 << 48,
		2, /* REGS_USER: abi, two registers */
		11,
		12,
		16, /* STACK_USER: size, bytes, the valid ones */
		0,
		0,
		8,
		200 | 30ULL << 32, /* WEIGHT_STRUCT */
		0x42,              /* DATA_SRC */
		7,                 /* TRANSACTION */
		2,                 /* REGS_INTR: abi, three registers */
		21,
		22,
		23,
		0x7000, /* PHYS_ADDR */
	};
	struct perf_event_attr attr = {
		.sample_type = PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER |
		               PERF_SAMPLE_WEIGHT_STRUCT | PERF_SAMPLE_DATA_SRC |
		               PERF_SAMPLE_TRANSACTION | PERF_SAMPLE_REGS_INTR |
		               PERF_SAMPLE_PHYS_ADDR,
		.sample_regs_user = 3,
		.sample_regs_intr = 7,
	};
	uint64_t copy[16];
	struct sample s;

	(void)state;
	assert_true(sample_parse((const void *)words, &attr, &s));
	assert_true(s.weight == (200 | 30ULL << 32));
	assert_int_equal(s.data_src, 0x42);
	assert_int_equal(s.phys_addr, 0x7000);
	memcpy(copy, words, sizeof(copy));
	for (uint16_t size = 8; size < sizeof(copy); size += 8) {
		copy[0] = PERF_RECORD_SAMPLE | (uint64_t)size << 48;
		assert_false(sample_parse((const void *)copy, &attr, &s));
	}
	memcpy(copy, words, sizeof(copy));
	copy[4] = UINT64_MAX - 7; /* of the stack */
	assert_false(sample_parse((const void *)copy, &attr, &s));
}

static void a_record_that_ends_too_early_is_refused_at_every_length(void **state)
{
	struct sample s;

	(void)state;
	for (size_t words = 1; words < WORDS; words++) {
		uint64_t *copy = malloc(words * 8);
		struct perf_event_header *record = (struct perf_event_header *)(void *)copy;

		assert_non_null(copy);
		memcpy(copy, whole, words * 8);
		record->size = (uint16_t)(words * 8);
		assert_false(sample_parse(record, &every, &s));
		free(copy);
	}
}

static void wrong_counts_are_refused(void **state)
{
	uint64_t copy[WORDS];
	struct perf_event_header *record = (struct perf_event_header *)(void *)copy;
	struct sample s;

	(void)state;
	memcpy(copy, whole, sizeof(copy));
	copy[17] = UINT64_MAX / 8;
	assert_false(sample_parse(record, &every, &s));
	memcpy(copy, whole, sizeof(copy));
	copy[10] = 1ULL << 63;
	assert_false(sample_parse(record, &every, &s));
	memcpy(copy, whole, sizeof(copy));
	copy[21] = UINT32_MAX;
	assert_false(sample_parse(record, &every, &s));
}

static void a_trailer_is_read_from_the_end(void **state)
{
	static uint64_t words[] = {
		PERF_RECORD_LOST | 7ULL * 8 << 48, 77, 5, 1 | 2ULL << 32, 1000, 3, 77
	};
	const struct perf_event_header *record = (const void *)words;
	struct sample s;
	uint64_t id = 0;

	(void)state;
	assert_true(sample_parse_trailer(record,
	                                 PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID |
	                                     PERF_SAMPLE_TIME | PERF_SAMPLE_CPU,
	                                 &s));
	assert_int_equal(s.tid, 2);
	assert_int_equal(s.time, 1000);
	assert_int_equal(s.cpu, 3);
	assert_true(sample_id(record, &id));
	assert_int_equal(id, 77);
}

/* A formatter's text for a value. */
static const char *formatted(void (*put)(struct format *, uint64_t), uint64_t value)
{
	static struct format format;

	format_init(&format, -1);
	put(&format, value);
	*format.at = 0;
	return format.buffer;
}

static void numbers_are_formatted_as_printf_does(void **state)
{
	uint64_t value = 0;
	char text[32];

	(void)state;
	for (int i = 0; i < 4000; i++) {
		snprintf(text, sizeof(text), "%" PRIu64, value);
		assert_string_equal(formatted(format_decimal, value), text);
		snprintf(text, sizeof(text), "0x%" PRIx64, value);
		assert_string_equal(formatted(format_hex, value), text);
		snprintf(text, sizeof(text), "%016" PRIx64, value);
		assert_string_equal(formatted(format_hex16, value), text);
		/* All magnitudes: powers of two and of ten, and their neighbours. */
		value = i < 192 ? (1ULL << i / 3) + (uint64_t)(i % 3) - 1
		                : value * 6364136223846793005ULL + 1442695040888963407ULL;
		if (i >= 192 && i % 2)
			value >>= i % 64;
	}
}

static void long_texts_pass_through_the_buffer_whole(void **state)
{
	static struct format format;
	static char text[3 * FORMAT_BUFFER], back[3 * FORMAT_BUFFER];
	FILE *file = tmpfile();

	(void)state;
	assert_non_null(file);
	for (size_t i = 0; i < sizeof(text); i++)
		text[i] = (char)('a' + i % 26);
	format_init(&format, fileno(file));
	format_text(&format, text, sizeof(text));
	format_flush(&format);
	assert_int_equal(format.failed, 0);
	assert_int_equal(pread(fileno(file), back, sizeof(back), 0), sizeof(back));
	assert_memory_equal(text, back, sizeof(text));
	fclose(file);
}

static void lines_are_gathered_until_another_might_not_fit(void **state)
{
	static struct format format;
	FILE *file = tmpfile();
	char byte;

	(void)state;
	assert_non_null(file);
	format_init(&format, fileno(file));
	format.at += FORMAT_BUFFER - FORMAT_ROOM;
	format_line(&format);
	assert_int_equal(pread(fileno(file), &byte, 1, 0), 0);
	format_literal(&format, "x");
	format_line(&format);
	assert_ptr_equal(format.at, format.buffer);
	assert_int_equal(pread(fileno(file), &byte, 1, FORMAT_BUFFER - FORMAT_ROOM), 1);
	assert_int_equal(byte, 'x');
	assert_int_equal(pread(fileno(file), &byte, 1, FORMAT_BUFFER - FORMAT_ROOM + 1), 0);
	fclose(file);
}

static void an_output_that_fails_is_remembered(void **state)
{
	static struct format format;

	(void)state;
	format_init(&format, -1);
	format_text(&format, "x", 1);
	format_flush(&format);
	assert_int_not_equal(format.failed, 0);
	format_init(&format, -1); /* another one */
	assert_int_equal(format.failed, 0);
}

/* In the order of enum perf_event_type and of perf's perf_user_event_type, from 1 and from 64;
 * other numbers are unknown. */
static void each_type_of_record_has_perfs_name(void **state)
{
	static const char *const kernels[] = {
		"MMAP",         "LOST",      "COMM",
		"EXIT",         "THROTTLE",  "UNTHROTTLE",
		"FORK",         "READ",      "SAMPLE",
		"MMAP2",        "AUX",       "ITRACE_START",
		"LOST_SAMPLES", "SWITCH",    "SWITCH_CPU_WIDE",
		"NAMESPACES",   "KSYMBOL",   "BPF_EVENT",
		"CGROUP",       "TEXT_POKE", "AUX_OUTPUT_HW_ID",
	};
	static const char *const files[] = {
		"HEADER_ATTR",
		NULL,
		"HEADER_TRACING_DATA",
		"HEADER_BUILD_ID",
		"FINISHED_ROUND",
		"ID_INDEX",
		"AUXTRACE_INFO",
		"AUXTRACE",
		"AUXTRACE_ERROR",
		"THREAD_MAP",
		"CPU_MAP",
		"STAT_CONFIG",
		"STAT",
		"STAT_ROUND",
		"EVENT_UPDATE",
		"TIME_CONV",
		"HEADER_FEATURE",
		"COMPRESSED",
		"FINISHED_INIT",
		"COMPRESSED2",
	};

	(void)state;
	for (uint32_t type = 0; type < 100; type++) {
		const char *expected = NULL, *name = record_name(type);

		if (type >= 1 && type <= sizeof(kernels) / sizeof(kernels[0]))
			expected = kernels[type - 1];
		else if (type >= 64 && type - 64 < sizeof(files) / sizeof(files[0]))
			expected = files[type - 64];
		if (!expected != !name || (name && strcmp(name, expected) != 0))
			fail_msg("%u is %s", type, name ? name : "unknown");
	}
	assert_null(record_name(UINT32_MAX));
}

/* A corrupt record can be so short. */
static void a_record_too_short_for_an_id_has_none(void **state)
{
	static const uint64_t sample[] = { PERF_RECORD_SAMPLE | 2ULL * 8 << 48, 77 };
	static const uint64_t lost[] = { PERF_RECORD_LOST | 1ULL * 8 << 48, 77 };
	uint64_t id = 5;

	(void)state;
	assert_true(sample_id((const void *)sample, &id));
	assert_int_equal(id, 77);
	assert_false(sample_id((const void *)lost, &id));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_field_is_found_in_perfs_order),
		cmocka_unit_test(a_record_that_ends_too_early_is_refused_at_every_length),
		cmocka_unit_test(hw_idx_is_there_only_if_attr_has_it),
		cmocka_unit_test(accesses_to_memory_follow_all_lists),
		cmocka_unit_test(wrong_counts_are_refused),
		cmocka_unit_test(a_trailer_is_read_from_the_end),
		cmocka_unit_test(numbers_are_formatted_as_printf_does),
		cmocka_unit_test(long_texts_pass_through_the_buffer_whole),
		cmocka_unit_test(each_type_of_record_has_perfs_name),
		cmocka_unit_test(a_record_too_short_for_an_id_has_none),
		cmocka_unit_test(lines_are_gathered_until_another_might_not_fit),
		cmocka_unit_test(an_output_that_fails_is_remembered),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
