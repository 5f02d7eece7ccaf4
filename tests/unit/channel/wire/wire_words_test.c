/* SPDX-License-Identifier: MIT */
/* The encoding of words: any words come back, each frame can be decoded alone, the encoding is
 * never longer, it shortens repetitive data, and the decoder refuses everything else. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "channel/wire/wire_words.h"

#define WORDS 4096U

static struct wire_words words;

static uint64_t any_word(void)
{
	uint64_t word = 0;

	for (unsigned i = 0; i < 4; i++)
		word = word << 16 | (uint64_t)(rand() & 0xffff);
	return word;
}

/* ---- Words of every kind that the code has a case for ---- */

static void fill_random(uint64_t *to, size_t count)
{
	while (count--)
		*to++ = any_word() >> rand() % 64;
}

static void fill_zero(uint64_t *to, size_t count)
{
	memset(to, 0, 8 * count);
}

/* Few values in any order. */
static void fill_few(uint64_t *to, size_t count)
{
	uint64_t values[7];

	fill_random(values, 7);
	while (count--)
		*to++ = values[rand() % 7];
}

/* Up and down by steps of every size. */
static void fill_steps(uint64_t *to, size_t count)
{
	uint64_t word = any_word();

	while (count--)
		*to++ = word += any_word() >> rand() % 64;
}

/* Some bytes of a word change. */
static void fill_bytes(uint64_t *to, size_t count)
{
	uint64_t word = any_word();

	while (count--)
		*to++ = word ^= (uint64_t)(rand() & 0xff) << 8 * (rand() % 8);
}

/* Samples with callchains (PERF_RECORD_SAMPLE) of a program with few functions. */
static void fill_samples(uint64_t *to, size_t count)
{
	uint64_t sample[16] = {
		0x0080000200000009, 1, 0, 0x100000001, 0, 0, 4000000, 7, ~0ULL << 9
	};
	uint64_t time = 100000;

	for (size_t i = 0; i < count; i++) {
		if (i % 16 == 0) {
			sample[2] = sample[9] = 0x1e390000 + (uint64_t)(rand() % 600);
			sample[4] = time += 250000 + (uint64_t)(rand() % 200);
			for (unsigned at = 10; at < 16; at++)
				sample[at] = 0x1e3a0000 + (at << 6) + (uint64_t)(rand() % 2) * 24;
		}
		to[i] = sample[i % 16];
	}
}

/* Branch records (SDM volume 3, 18.4.9): from, to, flags. */
static void fill_branches(uint64_t *to, size_t count)
{
	static const uint64_t edges[][2] = { { 0x1e797b4a, 0x1e797b40 },
		                             { 0x1e797b52, 0x1e797c00 },
		                             { 0x1e797c17, 0x1e797b57 } };
	unsigned edge = 0;

	for (size_t i = 0; i < count; i++) {
		if (i % 3 == 0)
			edge = rand() % 8 ? edge : (unsigned)rand() % 3;
		to[i] = i % 3 == 2 ? 0x10 : edges[edge][i % 3];
	}
}

static void (*const fills[])(uint64_t *, size_t) = {
	fill_random, fill_zero, fill_few, fill_steps, fill_bytes, fill_samples, fill_branches,
};
#define FILLS (sizeof(fills) / sizeof(fills[0]))

/* ---- There and back ---- */

/* The size on the line in frames of `room` bytes. A decoder that remembers words decodes them one
 * by one. */
static size_t there_and_back(const uint64_t *from, size_t size, size_t room)
{
	size_t at = 0, sent = 0;

	while (at < size) {
		uint8_t *frame = malloc(room);
		uint8_t *back = malloc(WIRE_RAW_MAX);
		size_t raw, length;

		assert_true(frame && back);
		memset(&words, rand(), sizeof(words));
		length =
		    wire_encode(&words, frame, room, (const uint8_t *)from + at, size - at, &raw);
		assert_true(length <= room && raw <= size - at && raw <= WIRE_RAW_MAX);
		if (!length) {
			raw = size - at < room ? size - at : room;
			length = raw;
		} else {
			assert_true(length < raw);
			memset(&words, rand(), sizeof(words));
			assert_true(wire_decode(&words, back, raw, frame, length));
			assert_memory_equal(back, (const uint8_t *)from + at, raw);
		}
		free(frame);
		free(back);
		at += raw;
		sent += length;
	}
	return sent;
}

static void words_of_every_kind_come_back_from_frames_of_every_size(void **state)
{
	static uint64_t from[WORDS];

	(void)state;
	for (unsigned kind = 0; kind < FILLS; kind++) {
		for (size_t room = 8; room <= WIRE_DATA_MAX; room += 8) {
			size_t size = 8 * (size_t)(1 + (unsigned)rand() % WORDS);

			fills[kind](from, size / 8);
			assert_true(there_and_back(from, size, room) <= size);
		}
	}
}

static void kinds_that_change_in_the_middle_of_a_frame_come_back(void **state)
{
	static uint64_t from[WORDS];

	(void)state;
	for (unsigned round = 0; round < 300; round++) {
		for (size_t at = 0; at < WORDS;) {
			size_t count = 1 + (unsigned)rand() % 40;

			count = count < WORDS - at ? count : WORDS - at;
			fills[(unsigned)rand() % FILLS](from + at, count);
			at += count;
		}
		there_and_back(from, sizeof(from), WIRE_DATA_MAX);
	}
}

static void repetitive_words_take_little_room(void **state)
{
	static uint64_t from[WORDS];

	(void)state;
	fill_zero(from, WORDS);
	assert_true(there_and_back(from, sizeof(from), WIRE_DATA_MAX) <= sizeof(from) / 60);
	fill_samples(from, WORDS);
	assert_true(there_and_back(from, sizeof(from), WIRE_DATA_MAX) <= sizeof(from) / 6);
	fill_branches(from, WORDS);
	assert_true(there_and_back(from, sizeof(from), WIRE_DATA_MAX) <= sizeof(from) / 10);
}

static void incompressible_bytes_are_left_unchanged(void **state)
{
	static uint64_t from[WORDS];
	uint8_t frame[WIRE_DATA_MAX];
	size_t raw;

	(void)state;
	for (unsigned i = 0; i < WORDS; i++)
		from[i] = any_word();
	assert_int_equal(
	    wire_encode(&words, frame, sizeof(frame), (uint8_t *)from, sizeof(from), &raw), 0);
	memset(from, 0, sizeof(from));
	assert_int_equal(wire_encode(&words, frame, sizeof(frame), (uint8_t *)from + 1, 64, &raw),
	                 0);
	assert_int_equal(wire_encode(&words, frame, sizeof(frame), (uint8_t *)from, 7, &raw), 0);
	assert_int_equal(wire_encode(&words, frame, 0, (uint8_t *)from, 64, &raw), 0);
}

static void only_whole_words_are_taken(void **state)
{
	static uint64_t from[WORDS];
	uint8_t frame[WIRE_DATA_MAX];
	size_t raw;

	(void)state;
	assert_true(wire_encode(&words, frame, sizeof(frame), (uint8_t *)from, 71, &raw) > 0);
	assert_int_equal(raw, 64);
}

static void a_frame_that_is_cut_or_longer_or_of_another_size_is_refused(void **state)
{
	static uint64_t from[WORDS];
	uint8_t frame[WIRE_DATA_MAX + 1], back[WIRE_RAW_MAX];
	size_t raw, length;

	(void)state;
	fill_samples(from, WORDS);
	length = wire_encode(&words, frame, WIRE_DATA_MAX, (uint8_t *)from, 2048, &raw);
	assert_true(length > 0 && raw == 2048);
	assert_true(wire_decode(&words, back, raw, frame, length));
	for (size_t less = 0; less < length; less++)
		assert_false(wire_decode(&words, back, raw, frame, less));
	frame[length] = 0;
	assert_false(wire_decode(&words, back, raw, frame, length + 1));
	assert_false(wire_decode(&words, back, raw - 64, frame, length));
	assert_false(wire_decode(&words, back, raw + 64, frame, length));
	assert_false(wire_decode(&words, back, raw - 1, frame, length));
	assert_false(wire_decode(&words, back, 0, frame, length));
	assert_false(wire_decode(&words, back, WIRE_RAW_MAX + 8, frame, length));
}

static void any_bytes_at_all_are_decoded_within_their_bounds(void **state)
{
	(void)state;
	for (unsigned round = 0; round < 20000; round++) {
		size_t size = (unsigned)rand() % 64, raw = 8 * (1 + (unsigned)rand() % 64);
		uint8_t *from = malloc(size + 1), *to = malloc(raw);

		assert_true(from && to);
		for (size_t i = 0; i < size; i++)
			from[i] = (uint8_t)rand();
		wire_decode(&words, to, raw, from + (size ? 0 : 1), size);
		free(from);
		free(to);
	}
}

/* docs/wire-format.md's example, computed by hand. 0: no history; predicted: "0". 5: a step of 5
 * from 0, zigzag 10: "110", 1 nibble, 10. 5: nothing followed (0, 5) yet, but 5 was seen; its hash
 * begins with 000101: "10" 5. 0: predicted after (5, 5): "0". */
static void the_code_is_the_one_that_is_described(void **state)
{
	static const uint64_t from[] = { 0, 5, 5, 0 };
	static const uint8_t expected[] = { 0x16, 0x5a, 0x01 };
	uint8_t frame[WIRE_DATA_MAX];
	size_t raw;

	(void)state;
	assert_int_equal(
	    wire_encode(&words, frame, sizeof(frame), (const uint8_t *)from, sizeof(from), &raw),
	    sizeof(expected));
	assert_memory_equal(frame, expected, sizeof(expected));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(words_of_every_kind_come_back_from_frames_of_every_size),
		cmocka_unit_test(kinds_that_change_in_the_middle_of_a_frame_come_back),
		cmocka_unit_test(repetitive_words_take_little_room),
		cmocka_unit_test(incompressible_bytes_are_left_unchanged),
		cmocka_unit_test(only_whole_words_are_taken),
		cmocka_unit_test(a_frame_that_is_cut_or_longer_or_of_another_size_is_refused),
		cmocka_unit_test(any_bytes_at_all_are_decoded_within_their_bounds),
		cmocka_unit_test(the_code_is_the_one_that_is_described),
	};

	srand(1);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
