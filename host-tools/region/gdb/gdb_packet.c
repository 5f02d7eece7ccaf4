/* SPDX-License-Identifier: MIT */
#include "host-tools/region/gdb/gdb_packet.h"

#include <string.h>

#define RUN_BIAS 29 /* the count after '*' minus this is the number of added copies */

static int digit(uint8_t c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static void packet_begin(struct gdb_packet *packet, int is_notice)
{
	packet->state = GDB_IN_BODY;
	packet->size = 0;
	packet->sum = 0;
	packet->damaged = 0;
	packet->is_notice = is_notice;
}

static void packet_add(struct gdb_packet *packet, uint8_t byte, size_t times)
{
	if (times > GDB_PACKET_MAX - packet->size) {
		packet->damaged = 1;
		return;
	}
	memset(packet->body + packet->size, byte, times);
	packet->size += times;
}

static void in_body(struct gdb_packet *packet, uint8_t byte)
{
	if (byte == '#') {
		packet->state = GDB_SUM_HIGH;
		return;
	}
	if (byte == '$') { /* the end of the previous packet is lost */
		packet_begin(packet, 0);
		return;
	}
	packet->sum = (uint8_t)(packet->sum + byte);
	if (byte == '*')
		packet->state = GDB_RUN;
	else
		packet_add(packet, byte, 1);
}

static void in_run(struct gdb_packet *packet, uint8_t byte)
{
	packet->state = GDB_IN_BODY;
	packet->sum = (uint8_t)(packet->sum + byte);
	if (!packet->size || byte < RUN_BIAS || byte > 126)
		packet->damaged = 1;
	else
		packet_add(packet, packet->body[packet->size - 1], (size_t)byte - RUN_BIAS);
}

static enum gdb_event packet_end(struct gdb_packet *packet, uint8_t byte)
{
	int low = digit(byte);

	packet->state = GDB_BETWEEN;
	packet->body[packet->size] = 0;
	if (packet->is_notice)
		return GDB_NOTHING;
	if (packet->damaged || low < 0 || (packet->want | low) != packet->sum)
		return GDB_DAMAGED;
	return GDB_BODY;
}

static enum gdb_event packet_eat(struct gdb_packet *packet, uint8_t byte)
{
	switch (packet->state) {
	case GDB_IN_BODY:
		in_body(packet, byte);
		return GDB_NOTHING;
	case GDB_RUN:
		in_run(packet, byte);
		return GDB_NOTHING;
	case GDB_SUM_HIGH:
		packet->damaged |= digit(byte) < 0;
		packet->want = (uint8_t)((unsigned)digit(byte) << 4);
		packet->state = GDB_SUM_LOW;
		return GDB_NOTHING;
	case GDB_SUM_LOW:
		return packet_end(packet, byte);
	default:
		break;
	}
	if (byte == '$' || byte == '%')
		packet_begin(packet, byte == '%');
	return byte == '+' ? GDB_ACK : byte == '-' ? GDB_NAK : GDB_NOTHING;
}

enum gdb_event gdb_packet_feed(struct gdb_packet *packet, const uint8_t *bytes, size_t size,
                               size_t *used)
{
	for (*used = 0; *used < size;) {
		enum gdb_event event = packet_eat(packet, bytes[(*used)++]);

		if (event != GDB_NOTHING)
			return event;
	}
	return GDB_NOTHING;
}

size_t gdb_packet_make(char *to, const char *body, size_t size)
{
	static const char digits[] = "0123456789abcdef";
	uint8_t sum = 0;

	to[0] = '$';
	memcpy(to + 1, body, size);
	for (size_t i = 0; i < size; i++)
		sum = (uint8_t)(sum + (uint8_t)body[i]);
	to[size + 1] = '#';
	to[size + 2] = digits[sum >> 4];
	to[size + 3] = digits[sum & 15];
	to[size + 4] = 0;
	return size + 4;
}

size_t gdb_packet_hex(const uint8_t *digits, size_t size, uint8_t *to, size_t room)
{
	size_t count = 0;

	for (; count < room && 2 * count + 1 < size; count++) {
		int high = digit(digits[2 * count]), low = digit(digits[2 * count + 1]);

		if (high < 0 || low < 0)
			break;
		to[count] = (uint8_t)(high << 4 | low);
	}
	return count;
}

size_t gdb_packet_binary(const uint8_t *data, size_t size, uint8_t *to, size_t room)
{
	size_t count = 0;

	for (size_t i = 0; i < size && count < room; i++) {
		if (data[i] != '}')
			to[count++] = data[i];
		else if (++i < size)
			to[count++] = data[i] ^ 0x20;
	}
	return count;
}
