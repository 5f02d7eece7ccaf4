/* SPDX-License-Identifier: MIT */
/* Frames on the line: CRC-32C, and consistent overhead byte stuffing (Cheshire and Baker,
 * IEEE/ACM Transactions on Networking 7(2), 1999). */
#include "channel/wire/wire.h"

#define CRC_SIZE   4U
#define BLOCK_FULL 0xFFU /* a code byte: 254 bytes without a 0x00, and no 0x00 after them */

/* 0x1EDC6F41, reflected, for each value of four bits: a table of 64 bytes; takes a third of a
 * bitwise loop's time. */
static const uint32_t wire_crc_nibble[16] = {
	0x00000000, 0x105ec76f, 0x20bd8ede, 0x30e349b1, 0x417b1dbc, 0x5125dad3,
	0x61c69362, 0x7198540d, 0x82f63b78, 0x92a8fc17, 0xa24bb5a6, 0xb21572c9,
	0xc38d26c4, 0xd3d3e1ab, 0xe330a81a, 0xf36e6f75,
};

uint32_t wire_crc(uint32_t crc, const uint8_t *bytes, size_t size)
{
	crc = ~crc;
	for (size_t i = 0; i < size; i++) {
		crc ^= bytes[i];
		crc = crc >> 4 ^ wire_crc_nibble[crc & 15];
		crc = crc >> 4 ^ wire_crc_nibble[crc & 15];
	}
	return ~crc;
}

/* A frame under construction: the open block's code byte is at `code`. */
struct wire_writer {
	uint8_t *code, *end;
};

static void wire_write(struct wire_writer *writer, uint8_t byte)
{
	if (byte) {
		*writer->end++ = byte;
		++*writer->code;
	}
	if (!byte || *writer->code == BLOCK_FULL) {
		writer->code = writer->end++;
		*writer->code = 1;
	}
}

size_t wire_frame(uint8_t *to, const uint8_t *body, size_t size)
{
	uint32_t crc = wire_crc(0, body, size);
	struct wire_writer writer = { to + 1, to + 2 };

	to[0] = 0;
	to[1] = 1;
	for (size_t i = 0; i < size; i++)
		wire_write(&writer, body[i]);
	for (size_t i = 0; i < CRC_SIZE; i++)
		wire_write(&writer, (uint8_t)(crc >> 8 * i));
	*writer.end++ = 0;
	return (size_t)(writer.end - to);
}

static void wire_append(struct wire_receiver *receiver, uint8_t byte)
{
	if (receiver->size == sizeof(receiver->body))
		receiver->state = WIRE_BROKEN;
	else
		receiver->body[receiver->size++] = byte;
}

/* Returns the result at a 0x00: a good body's size, WIRE_NO_FRAME, or 0 if no byte came before it.
 */
static int wire_ended(const struct wire_receiver *receiver)
{
	const uint8_t *body = receiver->body;
	uint32_t crc = 0;

	if (receiver->state == WIRE_OUTSIDE)
		return 0;
	if (receiver->state == WIRE_BROKEN || receiver->block ||
	    receiver->size < WIRE_HEAD + CRC_SIZE)
		return WIRE_NO_FRAME;
	for (size_t i = 0; i < CRC_SIZE; i++)
		crc |= (uint32_t)body[receiver->size - CRC_SIZE + i] << 8 * i;
	if (crc != wire_crc(0, body, receiver->size - CRC_SIZE))
		return WIRE_NO_FRAME;
	return receiver->size - (int)CRC_SIZE;
}

static int wire_delimiter(struct wire_receiver *receiver)
{
	int code = wire_ended(receiver);

	receiver->size = 0;
	receiver->block = 0;
	receiver->zero_after = false;
	receiver->state = WIRE_OUTSIDE;
	return code;
}

int wire_receive(struct wire_receiver *receiver, uint8_t byte)
{
	if (!byte)
		return wire_delimiter(receiver);
	if (receiver->state == WIRE_BROKEN)
		return 0;
	receiver->state = WIRE_INSIDE;
	if (receiver->block) {
		receiver->block--;
		wire_append(receiver, byte);
		return 0;
	}
	if (receiver->zero_after)
		wire_append(receiver, 0);
	receiver->block = byte - 1;
	receiver->zero_after = byte != BLOCK_FULL;
	return 0;
}
