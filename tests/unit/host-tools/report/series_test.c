/* SPDX-License-Identifier: MIT */
/* The content of `bareperf report --html`'s page, parsed again: chunks of samples, places, and
 * escaped text. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include <cmocka.h>

#include "host-tools/report/frames.h"
#include "host-tools/report/html/html_json.h"
#include "host-tools/report/places.h"
#include "host-tools/report/series.h"

#define MANY 200000U
#define ROOM (4U << 20)

static struct series_set set;
static char *text; /* the written page's text */
static size_t text_size;

static int setup(void **state)
{
	(void)state;
	set = (struct series_set){ .out = open_memstream(&text, &text_size) };
	return !set.out;
}

static int teardown(void **state)
{
	(void)state;
	fclose(set.out);
	series_free(&set);
	free(text);
	text = NULL;
	return 0;
}

/* ---- Taking apart, by other code than wrote it ---- */

static const uint8_t *unpacked; /* a block's bytes, and the position in them */

static uint32_t digit(char c)
{
	static const char digits[] =
	    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	const char *found = strchr(digits, c);

	return c == '=' ? 0 : (uint32_t)(found - digits);
}

/* Unpack the block at `at`; returns its end. The caller frees the bytes. */
static const char *unpack(const char *at, uint8_t **bytes)
{
	size_t length = strcspn(at, ".<");
	uint8_t *packed = calloc(1, length + 4);
	uLongf size = ROOM;

	assert_int_equal(length % 4, 0);
	for (size_t i = 0; i < length; i += 4) {
		uint32_t word = digit(at[i]) << 18 | digit(at[i + 1]) << 12 |
		                digit(at[i + 2]) << 6 | digit(at[i + 3]);

		packed[i / 4 * 3] = (uint8_t)(word >> 16);
		packed[i / 4 * 3 + 1] = (uint8_t)(word >> 8);
		packed[i / 4 * 3 + 2] = (uint8_t)word;
	}
	*bytes = malloc(ROOM);
	assert_int_equal(uncompress(*bytes, &size, packed, length / 4 * 3), Z_OK);
	free(packed);
	unpacked = *bytes;
	return at + length;
}

static uint64_t next(void)
{
	uint64_t value = 0;
	unsigned shift = 0;

	do
		value |= (uint64_t)(*unpacked & 127) << shift;
	while (shift += 7, *unpacked++ & 128);
	return value;
}

static uint64_t next_signed(void)
{
	uint64_t value = next();

	return value >> 1 ^ -(value & 1);
}

/* ---- Chunks ---- */

static struct series_sample sample_of(uint64_t i)
{
	/* times sometimes go back, as for nested interrupts */
	return (struct series_sample){ 1000000 + 1000 * i - (i % 10 ? 0 : 1500),
		                       i % 3 ? 1000 : UINT64_MAX - i, (uint32_t)(i * 7 % 100) };
}

static void require_sums(const struct series_chunk *chunk, uint64_t first)
{
	uint64_t count = next(), place = 0, samples = 0, weight = 0;

	assert_int_equal(count, 100);
	for (uint64_t i = 0; i < count; i++)
		assert_int_equal(place += next(), i);
	for (uint64_t i = 0; i < count; i++)
		samples += next();
	for (uint64_t i = 0; i < count; i++)
		weight += next();
	assert_int_equal(samples, chunk->samples);
	for (uint64_t i = 0; i < chunk->samples; i++)
		weight -= sample_of(first + i).weight;
	assert_int_equal(weight, 0);
}

static void require_samples(const struct series_chunk *chunk, uint64_t first)
{
	uint64_t time = chunk->first, weight = 0;

	for (uint64_t i = 0; i < chunk->samples; i++)
		assert_int_equal(time += next_signed(), sample_of(first + i).time);
	for (uint64_t i = 0; i < chunk->samples; i++)
		assert_int_equal(next(), sample_of(first + i).place);
	for (uint64_t i = 0; i < chunk->samples; i++)
		assert_int_equal(weight += next_signed(), sample_of(first + i).weight);
}

static void chunks_hold_every_sample_and_the_sums_of_their_functions(void **state)
{
	static const char begin[] = "<script type=\"application/octet-stream\">";
	const struct series_key key = { SERIES_SAMPLES, 2, 5 };
	uint64_t first = 0;
	const char *at;
	uint8_t *bytes;

	(void)state;
	for (uint64_t i = 0; i < MANY; i++) {
		struct series_sample sample = sample_of(i);

		assert_int_equal(series_add(&set, &key, &sample), 0);
	}
	assert_int_equal(series_flush(&set), 0);
	fflush(set.out);
	assert_int_equal(set.chunk_count, (MANY + SERIES_CHUNK - 1) / SERIES_CHUNK);
	at = text;
	for (uint32_t i = 0; i < set.chunk_count; first += set.chunks[i++].samples) {
		assert_memory_equal(at, begin, strlen(begin));
		at = unpack(at + strlen(begin), &bytes);
		require_sums(&set.chunks[i], first);
		free(bytes);
		assert_int_equal(*at, '.');
		at = unpack(at + 1, &bytes);
		require_samples(&set.chunks[i], first);
		free(bytes);
		assert_memory_equal(at, "</script>\n", 10);
		at += 10;
	}
	assert_int_equal(first, MANY);
	assert_int_equal(*at, 0);
}

static void a_chunk_is_described_by_its_ends_and_its_weight_by_time(void **state)
{
	const struct series_key key = { SERIES_LOST, 0, 1 };
	const uint64_t times[] = { 500, 100, 1124 };
	const struct series_chunk *chunk;
	uint64_t sum = 0;

	(void)state;
	for (uint32_t i = 0; i < 3; i++)
		assert_int_equal(
		    series_add(&set, &key, &(struct series_sample){ times[i], 10 << i, 0 }), 0);
	assert_int_equal(series_flush(&set), 0);
	assert_int_equal(set.chunk_count, 1);
	chunk = &set.chunks[0];
	assert_int_equal(chunk->first, 100);
	assert_int_equal(chunk->last, 1124);
	assert_int_equal(chunk->weight, 70);
	for (uint32_t i = 0; i < SERIES_BINS; i++)
		sum += chunk->bins[i];
	assert_int_equal(sum, 70);
	assert_int_equal(chunk->bins[0], 20);
	assert_int_equal(chunk->bins[400 / 17], 10);
	assert_int_equal(chunk->bins[1024 / 17], 40);
}

static void series_are_apart_by_kind_event_and_cpu(void **state)
{
	const struct series_sample sample = { 1, 1, 0 };

	(void)state;
	for (uint32_t i = 0; i < 1000; i++) {
		const struct series_key key = { i % 2, i / 2 % 10, i / 20 };

		assert_int_equal(series_add(&set, &key, &sample), 0);
		assert_int_equal(series_add(&set, &key, &sample), 0);
	}
	assert_int_equal(series_flush(&set), 0);
	assert_int_equal(set.chunk_count, 1000);
	for (uint32_t i = 0; i < 1000; i++) {
		assert_int_equal(set.chunks[i].samples, 2);
		assert_int_equal(set.chunks[i].key.kind, i % 2);
		assert_int_equal(set.chunks[i].key.event, i / 2 % 10);
		assert_int_equal(set.chunks[i].key.cpu, i / 20);
	}
}

/* ---- Places ---- */

static void frames_are_outermost_first_and_callers_before_their_return(void **state)
{
	const uint64_t chain[] = { PERF_CONTEXT_USER, 0x100, 0x200, PERF_CONTEXT_KERNEL, 0x300, 0 };
	const struct sample sample = { .ip = 0x100, .chain = chain, .chain_length = 6 };
	const struct sample bare = { .ip = 0x123 };
	uint64_t frames[FRAMES_MAX];

	(void)state;
	assert_int_equal(frames_of(&sample, frames), 4);
	assert_int_equal(frames[0], 0);
	assert_int_equal(frames[1], 0x2ff);
	assert_int_equal(frames[2], 0x1ff);
	assert_int_equal(frames[3], 0x100);
	assert_int_equal(frames_of(&bare, frames), 1);
	assert_int_equal(frames[0], 0x123);
}

static void a_too_deep_call_chain_keeps_its_innermost_frames(void **state)
{
	static uint64_t chain[FRAMES_MAX + 10];
	const struct sample sample = { .chain = chain, .chain_length = FRAMES_MAX + 10 };
	uint64_t frames[FRAMES_MAX];

	(void)state;
	for (uint64_t i = 0; i < FRAMES_MAX + 10; i++)
		chain[i] = 0x1000 + i;
	assert_int_equal(frames_of(&sample, frames), FRAMES_MAX);
	assert_int_equal(frames[FRAMES_MAX - 1], 0x1000);
	assert_int_equal(frames[0], 0x1000 + FRAMES_MAX - 2);
}

static void a_place_has_one_number_however_often_it_is_met(void **state)
{
	struct places places = { .symbols = symbols_new(NULL) };
	uint32_t seen[2000];

	(void)state;
	for (uint64_t i = 0; i < 4000; i++) {
		const uint64_t chain[] = { 0x1000 + i % 2000, 0x10 + i % 3 };
		const struct sample sample = { .ip = chain[0], .chain = chain, .chain_length = 2 };
		uint32_t place = places_add(&places, &sample);

		if (i < 2000) {
			assert_int_equal(place, i);
			seen[i] = place;
		} else if (i % 3 == (i - 2000) % 3) {
			assert_int_equal(place, seen[i - 2000]);
		}
	}
	/* without names all are one function, "unknown", which calls itself */
	assert_int_equal(places.functions.count, 1);
	assert_int_equal(places.nodes.count, 2);
	assert_int_equal(places.nodes.keys[1].a, 1);
	assert_int_equal(places.places.count, 2000);
	symbols_free(places.symbols);
	places_free(&places);
}

/* ---- Text ---- */

static void text_is_no_html(void **state)
{
	(void)state;
	assert_int_equal(html_json(set.out, json_pack("[ooo]", html_text("</script>&\n\"\x1b\\"),
	                                              html_text("gr\xc3\xbc\xc3\x9f\x65"),
	                                              html_text("no UTF-8: \xff"))),
	                 0);
	fflush(set.out);
	assert_string_equal(text,
	                    "[\"\\u003c/script\\u003e\\u0026?\\\"?\\\\\","
	                    "\"gr\\u00FC\\u00DFe\",\"no UTF-8: ?\"]");
}

static void numbers_are_exact_as_far_as_a_browser_has_them(void **state)
{
	(void)state;
	assert_int_equal(
	    html_json(set.out, json_pack("[oooo]", html_number(1ULL << 53), html_number(UINT64_MAX),
	                                 html_exact(UINT64_MAX), html_text(NULL))),
	    0);
	fflush(set.out);
	assert_string_equal(
	    text, "[9007199254740992,1.8446744073709552e19,\"18446744073709551615\",null]");
}

static void a_disk_that_is_full_is_an_error(void **state)
{
	FILE *full = fopen("/dev/full", "w");
	const struct series_key key = { 0 };
	uint64_t i = 0;
	int code = 0;

	(void)state;
	setvbuf(full, NULL, _IONBF, 0);
	assert_int_equal(html_json(full, json_pack("[s]", "text")), -EIO);
	clearerr(full);
	fclose(set.out);
	set.out = full;
	while (!code && i < 2 * SERIES_CHUNK) {
		const struct series_sample sample = { i++ * 12345, 1, 0 };

		code = series_add(&set, &key, &sample);
	}
	assert_int_equal(code, -EIO);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
		TEST(chunks_hold_every_sample_and_the_sums_of_their_functions),
		TEST(a_chunk_is_described_by_its_ends_and_its_weight_by_time),
		TEST(series_are_apart_by_kind_event_and_cpu),
		TEST(frames_are_outermost_first_and_callers_before_their_return),
		TEST(a_too_deep_call_chain_keeps_its_innermost_frames),
		TEST(a_place_has_one_number_however_often_it_is_met),
		TEST(text_is_no_html),
		TEST(numbers_are_exact_as_far_as_a_browser_has_them),
		TEST(a_disk_that_is_full_is_an_error),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
