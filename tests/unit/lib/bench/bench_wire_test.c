/* SPDX-License-Identifier: MIT */
/* Requests and results as bytes and back, and damaged ones. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lib/bench/bench_wire.h"

static const uint8_t code[] = { 0x90, 0x90, 0xc3 };

static struct bench_request whole_request(void)
{
	struct bench_request request = {
		.flags = BENCH_NO_MEM | BENCH_DRAIN,
		.measurements = 10,
		.warm_up = 5,
		.initial_warm_up = 1,
		.unroll = 1000,
		.loop = INT32_MAX,
		.alignment = 63,
		.offset = 4096,
		.cycle = UINT32_MAX,
		.nr_counters = 2,
		.counters = { { BENCH_CLOCK, 0, 0 }, { BENCH_GENERAL, 7, UINT64_MAX } },
		.nr_writes = 1,
		.writes = { { 0x1a6, 0x8000000000000001ULL } },
	};

	request.parts[BENCH_CODE].bytes = code;
	request.parts[BENCH_CODE].size = sizeof(code);
	return request;
}

static void a_request_comes_back_as_it_was(void **state)
{
	struct bench_request sent = whole_request(), got;
	uint8_t bytes[256];
	size_t size = bench_put_request(&sent, bytes, sizeof(bytes));

	(void)state;
	assert_true(size > 0);
	assert_null(bench_get_request(&got, bytes, size));
	assert_memory_equal(got.parts[BENCH_CODE].bytes, code, sizeof(code));
	for (unsigned i = 0; i < BENCH_PARTS; i++) {
		assert_int_equal(got.parts[i].size, sent.parts[i].size);
		got.parts[i].bytes = sent.parts[i].bytes;
	}
	assert_memory_equal(&got, &sent, sizeof(got));
}

/* Each shortened request is in its own memory block, so that ASan detects reads beyond its end. */
static void a_request_that_is_cut_is_damaged(void **state)
{
	struct bench_request sent = whole_request(), got;
	uint8_t bytes[256];
	size_t size = bench_put_request(&sent, bytes, sizeof(bytes));

	(void)state;
	for (size_t i = 0; i < size; i++) {
		uint8_t *cut = malloc(i ? i : 1);

		memcpy(cut, bytes, i);
		assert_non_null(bench_get_request(&got, cut, i));
		free(cut);
		assert_int_equal(bench_put_request(&sent, bytes, i), 0);
	}
	size = bench_put_request(&sent, bytes, sizeof(bytes));
	assert_non_null(bench_get_request(&got, bytes, size + 1));
}

static const char *judged(struct bench_request request)
{
	static struct bench_request got;
	static uint8_t bytes[512];

	return bench_get_request(&got, bytes, bench_put_request(&request, bytes, sizeof(bytes)));
}

static void a_request_that_asks_too_much_is_refused(void **state)
{
	struct bench_request request = whole_request();

	(void)state;
	assert_null(judged(request));
	request.measurements = 0;
	assert_string_equal(judged(request), "measurements and warm-up runs must be 1 to 100000");
	request.measurements = BENCH_MEASUREMENTS - 4;
	assert_string_equal(judged(request), "measurements and warm-up runs must be 1 to 100000");
	request.measurements = BENCH_VALUES / 4;
	assert_null(judged(request));
	request.measurements++;
	assert_string_equal(judged(request), "too many measurements for one result");
	request = whole_request();
	request.unroll = 0;
	assert_string_equal(judged(request), "the unroll count is 0");
	request.flags = BENCH_ABOUT;
	assert_null(judged(request));
	request.flags = BENCH_FLAGS + 1;
	assert_string_equal(judged(request), "an unknown flag");
	request = whole_request();
	request.loop = (uint32_t)INT32_MAX + 1;
	assert_string_equal(judged(request), "the loop count does not fit into 31 bits");
	request = whole_request();
	request.counters[1].kind = BENCH_KINDS;
	assert_string_equal(judged(request), "an unknown kind of counter");
	request = whole_request();
	request.initial_warm_up = BENCH_MEASUREMENTS + 1;
	assert_non_null(judged(request));
}

static void a_result_comes_back_as_it_was(void **state)
{
	static int64_t values[8] = { 5, -5, INT64_MAX, INT64_MIN, 0, 1, 2, 3 };
	int64_t *got_values = malloc(BENCH_VALUES * sizeof(*got_values));
	struct bench_result sent = {
		.status = -14,
		.text = "it ended",
		.hardware = { .vendor = BENCH_AMD,
		              .general = 6,
		              .aperf = 1,
		              .signature = UINT32_MAX,
		              .frequency = 1,
		              .areas = { 1, 2, 3, 4, UINT64_MAX },
		              .code = 9,
		              .code_size = 10 },
		.noise = { BENCH_UNKNOWN, 0, 77, 1, 2, 3, 4, { 5, 6 } },
		.counters = 2,
		.measurements = 2,
		.values = values,
	};
	struct bench_result got = { .values = got_values };
	uint8_t bytes[512];
	size_t size = bench_put_result(&sent, bytes, sizeof(bytes));

	(void)state;
	assert_true(size > 0);
	assert_null(bench_get_result(&got, bytes, size));
	assert_memory_equal(got.values, values, sizeof(values));
	sent.values = got.values;
	assert_int_equal(got.status, -14);
	assert_string_equal(got.text, "it ended");
	assert_memory_equal(&got.hardware, &sent.hardware, sizeof(got.hardware));
	assert_memory_equal(&got.noise, &sent.noise, sizeof(got.noise));
	for (size_t i = 0; i < size; i++)
		assert_string_equal(bench_get_result(&got, bytes, i),
		                    i ? "it is damaged" : "it is of another version of bareperf");
	assert_non_null(bench_get_result(&got, bytes, size + 1));
	free(got_values);
}

static void values_have_their_places(void **state)
{
	const struct bench_result result = { .counters = 3, .measurements = 10 };

	(void)state;
	assert_int_equal(bench_value(&result, 0, 0, 0), 0);
	assert_int_equal(bench_value(&result, 0, 2, 9), 29);
	assert_int_equal(bench_value(&result, 1, 1, 4), 44);
}

/* The examples of RFC 4648, section 10. */
static void text_is_base64(void **state)
{
	static const char *const texts[] = { "",         "Zg==",     "Zm8=",    "Zm9v",
		                             "Zm9vYg==", "Zm9vYmE=", "Zm9vYmFy" };
	char text[BENCH_TEXT(6)];
	uint8_t bytes[6];

	(void)state;
	for (size_t i = 0; i <= 6; i++) {
		bench_to_text(text, (const uint8_t *)"foobar", i);
		assert_string_equal(text, texts[i]);
		assert_int_equal(bench_from_text(bytes, i, text), (long)i);
		assert_memory_equal(bytes, "foobar", i);
		if (i)
			assert_int_equal(bench_from_text(bytes, i - 1, text), -1);
	}
	assert_int_equal(bench_from_text(bytes, 6, "Zm9"), -1);
	assert_int_equal(bench_from_text(bytes, 6, "Zm9!"), -1);
	assert_int_equal(bench_from_text(bytes, 6, "Z==="), -1);
	assert_int_equal(bench_from_text(bytes, 6, "===="), -1);
	assert_int_equal(bench_from_text(bytes, 6, "Zg==Zg=="), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_request_comes_back_as_it_was),
		cmocka_unit_test(a_request_that_is_cut_is_damaged),
		cmocka_unit_test(a_request_that_asks_too_much_is_refused),
		cmocka_unit_test(a_result_comes_back_as_it_was),
		cmocka_unit_test(values_have_their_places),
		cmocka_unit_test(text_is_base64),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
