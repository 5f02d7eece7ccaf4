/* SPDX-License-Identifier: MIT */
/*
 * Bytes from a serial line, on either side. First byte even: the rest comes over the line byte by
 * byte, and is decoded as far as possible. Odd: the rest is a body, which arrives unchanged; or the
 * content of a DATA frame; or words, which arrive unchanged.
 */
#include <stdlib.h>
#include <string.h>

#include "channel/wire/wire_words.h"
#include "tests/fuzz/seed.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct wire_words words;

static void require(bool holds)
{
	if (!holds)
		abort();
}

static void take_content(uint8_t flags, size_t raw, const uint8_t *content, size_t size)
{
	static uint8_t to[WIRE_RAW_MAX];

	if (flags & WIRE_ENCODED)
		wire_decode(&words, to, raw, content, size);
}

/* Decode the body as both sides do, whatever its type is. */
static void take_body(const uint8_t *body, size_t size)
{
	union {
		struct wire_hello hello;
		struct wire_welcome welcome;
		struct wire_get get;
		struct wire_put put;
		struct wire_clear clear;
		struct wire_baud baud;
		struct wire_data data;
		struct wire_done done;
		struct wire_status status;
	} is;
	struct wire_head head;

	require(wire_get_head(body, size, &head));
	if (wire_get_hello(body, size, &is.hello))
		require(is.hello.probes <= WIRE_PROBE_MAX);
	if (wire_get_welcome(body, size, &is.welcome))
		require(is.welcome.probes <= WIRE_PROBE_MAX);
	if (wire_get_get(body, size, &is.get))
		require(is.get.size && is.get.size <= WIRE_GET_MAX);
	if (wire_get_put(body, size, &is.put))
		require(is.put.bytes >= body && is.put.bytes + is.put.size <= body + size);
	if (wire_get_clear(body, size, &is.clear))
		require(is.clear.count && is.clear.count <= WIRE_BELLS_MAX);
	wire_get_baud(body, size, &is.baud);
	wire_get_done(body, size, &is.done);
	wire_get_status(body, size, &is.status);
	if (wire_get_data(body, size, &is.data))
		take_content(head.flags, is.data.raw, body + WIRE_DATA_HEAD, size - WIRE_DATA_HEAD);
}

/* Returns the number of frames. */
static unsigned take_line(const uint8_t *line, size_t size)
{
	static struct wire_receiver receiver;
	unsigned frames = 0;

	memset(&receiver, 0, sizeof(receiver));
	for (size_t i = 0; i < size; i++) {
		int result = wire_receive(&receiver, line[i]);

		require(result >= WIRE_NO_FRAME && result <= (int)WIRE_BODY_MAX);
		if (result > 0) {
			take_body(receiver.body, (size_t)result);
			frames++;
		}
	}
	return frames;
}

static void frame_it(const uint8_t *body, size_t size)
{
	uint8_t frame[WIRE_FRAME_MAX];

	if (size >= WIRE_HEAD && size <= WIRE_BODY_MAX)
		require(take_line(frame, wire_frame(frame, body, size)) == 1);
}

static void encode_it(const uint8_t *bytes, size_t size)
{
	static uint64_t from[2 * WIRE_RAW_MAX / 8];
	static uint8_t frame[WIRE_DATA_MAX], back[WIRE_RAW_MAX];
	size_t room = size ? (size_t)bytes[0] * 2 : 0, length, raw;

	size = size < sizeof(from) ? size : sizeof(from);
	memcpy(from, bytes, size);
	length = wire_encode(&words, frame, room < sizeof(frame) ? room : sizeof(frame),
	                     (const uint8_t *)from, size, &raw);
	require(length <= room && (!length || (raw <= size && length < raw)));
	if (!length)
		return;
	require(wire_decode(&words, back, raw, frame, length));
	require(memcmp(back, from, raw) == 0);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	uint8_t line[1 + 2 * WIRE_FRAME_MAX] = { 0 }, body[WIRE_BODY_MAX];
	static const uint64_t from[64] = { 9, 9, 9, 1 };
	struct wire_data data = { .tag = 1 };
	size_t raw, size = wire_encode(&words, body + WIRE_DATA_HEAD, WIRE_DATA_MAX,
	                               (const uint8_t *)from, sizeof(from), &raw);

	data.raw = (uint16_t)raw;
	size = 1 + wire_frame(line + 1, body, wire_put_data(body, &data, WIRE_ENCODED, size));
	require(take_line(line + 1, size - 1) == 1);
	fuzz_seed(*argc, *argv, "data", line, size);
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (!size)
		return 0;
	switch (data[0] & 7) {
	case 1:
	case 3:
		frame_it(data + 1, size - 1);
		break;
	case 5:
		if (size > 1)
			take_content(WIRE_ENCODED, 8 * (size_t)data[1], data + 2, size - 2);
		break;
	case 7:
		encode_it(data + 1, size - 1);
		break;
	default:
		take_line(data + 1, size - 1);
	}
	return 0;
}
