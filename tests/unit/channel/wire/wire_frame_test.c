/* SPDX-License-Identifier: MIT */
/* Frames: the checksum and the stuffing compared with their authors' examples, every length and
 * byte value, and a receiver that recovers from anything on the line. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "channel/wire/wire.h"

/* ---- The stuffing, as simple as can be: each block is measured, then written ---- */

static size_t plain_cobs(uint8_t *to, const uint8_t *from, size_t size)
{
	size_t length = 0, at = 0;

	for (;;) {
		size_t run = 0;

		while (at + run < size && from[at + run] && run < 254)
			run++;
		to[length++] = (uint8_t)(run + 1);
		memcpy(to + length, from + at, run);
		length += run;
		at += run;
		if (run < 254 && at == size)
			return length;
		if (run < 254)
			at++;
	}
}

static void the_reference_stuffs_as_the_paper_does(void **state)
{
	/* Cheshire and Baker, figure 3: the beginning of an IP packet */
	static const uint8_t packet[] = { 0x45, 0x00, 0x00, 0x2c, 0x4c, 0x79,
		                          0x00, 0x00, 0x40, 0x06, 0x4f, 0x37 };
	static const uint8_t stuffed[] = { 0x02, 0x45, 0x01, 0x04, 0x2c, 0x4c, 0x79,
		                           0x01, 0x05, 0x40, 0x06, 0x4f, 0x37 };
	uint8_t to[32];

	(void)state;
	assert_int_equal(plain_cobs(to, packet, sizeof(packet)), sizeof(stuffed));
	assert_memory_equal(to, stuffed, sizeof(stuffed));
}

static void the_checksum_is_the_rfc_s(void **state)
{
	/* RFC 3720, B.4 */
	static const uint8_t read_10[48] = {
		0x01, 0xc0, [16] = 0x14, [22] = 0x04, [27] = 0x14, [31] = 0x18, 0x28, [40] = 0x02,
	};
	uint8_t bytes[32] = { 0 };

	(void)state;
	assert_int_equal(wire_crc(0, bytes, 32), 0x8a9136aa);
	memset(bytes, 0xff, 32);
	assert_int_equal(wire_crc(0, bytes, 32), 0x62a8ab43);
	for (unsigned i = 0; i < 32; i++)
		bytes[i] = (uint8_t)i;
	assert_int_equal(wire_crc(0, bytes, 32), 0x46dd794e);
	assert_int_equal(wire_crc(wire_crc(0, bytes, 7), bytes + 7, 25), 0x46dd794e);
	for (unsigned i = 0; i < 32; i++)
		bytes[i] = (uint8_t)(31 - i);
	assert_int_equal(wire_crc(0, bytes, 32), 0x113fdb5c);
	assert_int_equal(wire_crc(0, read_10, 48), 0xd9963a56);
	assert_int_equal(wire_crc(0, bytes, 0), 0);
}

/* ---- Frames ---- */

static void body_of(uint8_t *body, size_t size, unsigned kind)
{
	for (size_t i = 0; i < size; i++)
		body[i] = (uint8_t)(kind == 0   ? 0
		                    : kind == 1 ? 0xff
		                    : kind == 2 ? i
		                    : kind == 3 ? i % 255 + 1
		                                : (size_t)rand());
}

/* The receiver's results for bytes: the last result other than 0, and the number of such results.
 * */
struct heard {
	int result;
	unsigned count;
};

static struct heard hear(struct wire_receiver *receiver, const uint8_t *bytes, size_t size)
{
	struct heard heard = { 0 };

	for (size_t i = 0; i < size; i++) {
		int result = wire_receive(receiver, bytes[i]);

		if (result) {
			heard.result = result;
			heard.count++;
		}
	}
	return heard;
}

/* Encode and decode a body of this size, and compare its frame with the reference. */
static void there_and_back(const uint8_t *body, size_t size)
{
	uint8_t whole[WIRE_BODY_MAX + 4], stuffed[WIRE_FRAME_MAX + 8], frame[WIRE_FRAME_MAX];
	static struct wire_receiver receiver;
	uint32_t crc = wire_crc(0, body, size);
	size_t length, expected;
	struct heard heard;

	memcpy(whole, body, size);
	for (unsigned i = 0; i < 4; i++)
		whole[size + i] = (uint8_t)(crc >> 8 * i);
	expected = plain_cobs(stuffed, whole, size + 4);
	length = wire_frame(frame, body, size);
	assert_true(length <= WIRE_FRAME_MAX);
	assert_int_equal(length, expected + 2);
	assert_memory_equal(frame + 1, stuffed, expected);
	assert_int_equal(frame[0], 0);
	assert_int_equal(frame[length - 1], 0);
	assert_null(memchr(frame + 1, 0, length - 2));
	heard = hear(&receiver, frame, length);
	assert_int_equal(heard.count, 1);
	assert_int_equal(heard.result, size);
	assert_memory_equal(receiver.body, body, size);
}

static void bodies_of_every_length_and_byte_value_come_through(void **state)
{
	uint8_t body[WIRE_BODY_MAX];

	(void)state;
	for (size_t size = WIRE_HEAD; size <= WIRE_BODY_MAX; size++) {
		for (unsigned kind = 0; kind < 5; kind++) {
			body_of(body, size, kind);
			there_and_back(body, size);
		}
	}
	for (unsigned value = 0; value < 256; value++) {
		memset(body, (int)value, sizeof(body));
		there_and_back(body, 261);
	}
}

static void text_before_and_between_frames_costs_no_frame(void **state)
{
	static const char text[] = "BdsDxe: loading Boot0001\r\n\x1b[0m";
	uint8_t body[40], line[512];
	struct wire_receiver receiver = { 0 };
	size_t frame, size = 0;
	struct heard heard;

	(void)state;
	body_of(body, sizeof(body), 2);
	for (unsigned i = 0; i < 3; i++) {
		memcpy(line + size, text, sizeof(text) - 1);
		size += sizeof(text) - 1;
		frame = wire_frame(line + size, body, sizeof(body));
		size += frame;
	}
	heard = hear(&receiver, line, size);
	assert_int_equal(heard.count, 6); /* three texts, three frames */
	assert_int_equal(heard.result, sizeof(body));
}

static void more_between_delimiters_than_a_body_holds_is_no_frame_and_no_overflow(void **state)
{
	struct wire_receiver receiver = { 0 };
	uint8_t body[WIRE_HEAD] = { 1, 2, 3, 4 }, frame[WIRE_FRAME_MAX];
	struct heard heard;

	(void)state;
	for (unsigned fill = 1; fill < 256; fill++) {
		for (unsigned i = 0; i < 3000; i++)
			assert_int_equal(wire_receive(&receiver, (uint8_t)fill), 0);
		heard = hear(&receiver, frame, wire_frame(frame, body, sizeof(body)));
		assert_int_equal(heard.count, 2);
		assert_int_equal(heard.result, WIRE_HEAD);
	}
}

static void a_frame_that_lost_its_end_or_a_byte_is_none_and_the_next_one_is_whole(void **state)
{
	uint8_t body[300], frame[WIRE_FRAME_MAX], cut[WIRE_FRAME_MAX];
	struct wire_receiver receiver = { 0 };
	size_t size;

	(void)state;
	body_of(body, sizeof(body), 2);
	size = wire_frame(frame, body, sizeof(body));
	for (size_t i = 1; i + 1 < size; i++) {
		/* a byte is missing */
		memcpy(cut, frame, i);
		memcpy(cut + i, frame + i + 1, size - i - 1);
		assert_int_equal(hear(&receiver, cut, size - 1).result, WIRE_NO_FRAME);
		/* the rest is missing, and the next frame follows at once */
		hear(&receiver, frame, i);
		assert_int_equal(hear(&receiver, frame, size).result, sizeof(body));
	}
}

static void no_flip_of_up_to_three_bits_makes_another_frame(void **state)
{
	uint8_t body[64], frame[WIRE_FRAME_MAX];
	struct wire_receiver receiver = { 0 };
	size_t size;

	(void)state;
	body_of(body, sizeof(body), 2);
	size = wire_frame(frame, body, sizeof(body));
	for (unsigned round = 0; round < 50000; round++) {
		uint8_t bad[WIRE_FRAME_MAX];
		unsigned flips = 1 + round % 3;

		memcpy(bad, frame, size);
		while (flips--)
			bad[1 + (unsigned)rand() % (size - 2)] ^= (uint8_t)(1 << rand() % 8);
		if (memcmp(bad, frame, size) == 0)
			continue;
		for (size_t i = 0; i < size; i++) {
			int result = wire_receive(&receiver, bad[i]);

			assert_true(result <= 0);
		}
	}
}

static void a_delimiter_more_is_nothing(void **state)
{
	struct wire_receiver receiver = { 0 };

	(void)state;
	for (unsigned i = 0; i < 10; i++)
		assert_int_equal(wire_receive(&receiver, 0), 0);
}

static void a_checked_body_without_a_whole_head_is_no_frame(void **state)
{
	struct wire_receiver receiver = { 0 };
	uint8_t body[WIRE_HEAD] = { 1 }, frame[WIRE_FRAME_MAX];

	(void)state;
	for (size_t size = 0; size < WIRE_HEAD; size++)
		assert_int_equal(hear(&receiver, frame, wire_frame(frame, body, size)).result,
		                 WIRE_NO_FRAME);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_reference_stuffs_as_the_paper_does),
		cmocka_unit_test(the_checksum_is_the_rfc_s),
		cmocka_unit_test(bodies_of_every_length_and_byte_value_come_through),
		cmocka_unit_test(text_before_and_between_frames_costs_no_frame),
		cmocka_unit_test(
		    more_between_delimiters_than_a_body_holds_is_no_frame_and_no_overflow),
		cmocka_unit_test(
		    a_frame_that_lost_its_end_or_a_byte_is_none_and_the_next_one_is_whole),
		cmocka_unit_test(no_flip_of_up_to_three_bits_makes_another_frame),
		cmocka_unit_test(a_delimiter_more_is_nothing),
		cmocka_unit_test(a_checked_body_without_a_whole_head_is_no_frame),
	};

	srand(1);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
