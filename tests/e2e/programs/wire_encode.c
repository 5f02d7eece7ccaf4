/* SPDX-License-Identifier: MIT */
/*
 * Prints the bytes that the target sends on a serial line, by its own code, for tests in Python.
 *
 *	wire-encode		the bytes of standard input as DATA frames, encoded where it helps
 *	wire-encode example	the exchange of docs/wire-format.md: a frame a line, in hex
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "channel/line.h"

#define INPUT_MAX (64U << 20) /* bytes */

static void put_data(const uint8_t *from, size_t size)
{
	static struct wire_words words;
	uint8_t body[WIRE_BODY_MAX], frame[WIRE_FRAME_MAX];
	uint16_t sequence = 0;

	for (size_t at = 0, raw; at < size; at += raw) {
		uint8_t *payload = body + WIRE_DATA_HEAD;
		size_t left = size - at, length;
		struct wire_data data = { .tag = 1, .at = (uint16_t)(at % WIRE_GET_MAX) };

		length = wire_encode(&words, payload, WIRE_DATA_MAX, from + at,
		                     left < LINE_RAW_MAX ? left : LINE_RAW_MAX, &raw);
		data.raw = (uint16_t)raw;
		if (length) {
			length = wire_put_data(body, &data, WIRE_ENCODED, length);
		} else {
			raw = left < WIRE_DATA_MAX ? left : WIRE_DATA_MAX / 8 * 8;
			data.raw = (uint16_t)raw;
			memcpy(payload, from + at, raw);
			length = wire_put_data(body, &data, 0, raw);
		}
		wire_put_sequence(body, sequence++);
		length = wire_frame(frame, body, length);
		fwrite(frame, 1, length, stdout);
	}
}

static void put_hex(const char *who, uint8_t *body, size_t size, uint16_t sequence)
{
	uint8_t frame[WIRE_FRAME_MAX];

	wire_put_sequence(body, sequence);
	size = wire_frame(frame, body, size);
	printf("%s ", who);
	for (size_t i = 0; i < size; i++)
		printf(" %02x", frame[i]);
	putchar('\n');
}

static void put_example(void)
{
	static const uint64_t from[] = { 0, 5, 5, 0 };
	static struct wire_words words;
	const struct wire_hello hello = { .version = 0x00010000,
		                          .nonce = 0x00474645444342,
		                          .probes = 3,
		                          .probe = { 0, 0x11, 0xff } };
	const struct wire_welcome welcome = {
		.version = 0x00010000,
		.host_nonce = hello.nonce,
		.nonce = 0x0123456789abcdef,
		.region_size = 16U << 20,
		.address = 0x7e000000,
		.burst = 16,
		.burst_us = 1000,
		.baud = 115200,
		.baud_max = 921600,
		.machine = 62,
		.gets = 8,
		.probes = 3,
		.probe = { 0, 0x11, 0xff },
	};
	const struct wire_get get = { .tag = 1, .size = 32, .offset = 0x10000 };
	struct wire_data data = { .tag = 1 };
	uint8_t body[WIRE_BODY_MAX];
	size_t raw, size;

	put_hex("host  ", body, wire_put_hello(body, &hello), 0);
	put_hex("target", body, wire_put_welcome(body, &welcome), 0);
	put_hex("host  ", body, wire_put_get(body, &get, WIRE_ENCODED), 1);
	size = wire_encode(&words, body + WIRE_DATA_HEAD, WIRE_DATA_MAX, (const uint8_t *)from,
	                   sizeof(from), &raw);
	data.raw = (uint16_t)raw;
	put_hex("target", body, wire_put_data(body, &data, WIRE_ENCODED, size), 1);
}

int main(int argc, char **argv)
{
	uint8_t *bytes;

	if (argc > 1 && strcmp(argv[1], "example") == 0) {
		put_example();
		return 0;
	}
	bytes = malloc(INPUT_MAX);
	if (!bytes)
		return 1;
	put_data(bytes, fread(bytes, 1, INPUT_MAX, stdin));
	free(bytes);
	return ferror(stdin) || fflush(stdout);
}
