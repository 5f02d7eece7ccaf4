/* SPDX-License-Identifier: MIT */
/*
 * A GDB stub's bytes, split into any pieces, give the same packets, within their bounds. Input: a
 * byte for the length of the pieces, then the stream.
 */
#include <stdlib.h>
#include <string.h>

#include "host-tools/region/gdb/gdb_packet.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A checksum that must be equal for two ways to split the stream. */
static uint64_t digest(const uint8_t *bytes, size_t size, size_t piece)
{
	static struct gdb_packet packet;
	static uint8_t out[GDB_PACKET_MAX];
	uint64_t sum = 14695981039346656037U;

	packet = (struct gdb_packet){ 0 };
	for (size_t at = 0; at < size;) {
		size_t some = size - at < piece ? size - at : piece, used = 0;
		enum gdb_event event = gdb_packet_feed(&packet, bytes + at, some, &used);

		if (used > some || (!used && event == GDB_NOTHING))
			abort();
		at += used;
		if (event == GDB_NOTHING)
			continue;
		sum = (sum ^ (uint64_t)event) * 1099511628211U;
		if (event != GDB_BODY)
			continue;
		if (packet.size > GDB_PACKET_MAX || packet.body[packet.size])
			abort();
		for (size_t i = 0; i < packet.size; i++)
			sum = (sum ^ packet.body[i]) * 1099511628211U;
		if (gdb_packet_hex(packet.body, packet.size, out, 64) > 64 ||
		    gdb_packet_binary(packet.body, packet.size, out, sizeof(out)) > packet.size)
			abort();
	}
	return sum;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (!size)
		return 0;
	if (digest(data + 1, size - 1, size) != digest(data + 1, size - 1, 1 + data[0] % 16))
		abort();
	return 0;
}
