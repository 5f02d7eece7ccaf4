/* SPDX-License-Identifier: MIT */
/*
 * Packets of GDB's Remote Serial Protocol (GDB manual, appendix E, "Overview"): $BODY#SUM. In BODY,
 * a byte followed by '*' and N means N - 28 copies of the byte in all. The parser turns any bytes,
 * split in any way, into packets, reports of damage, or nothing.
 */
#ifndef HOST_TOOLS_REGION_GDB_GDB_PACKET_H
#define HOST_TOOLS_REGION_GDB_GDB_PACKET_H

#include <stddef.h>
#include <stdint.h>

#define GDB_PACKET_MAX 65536U /* limit of a received body, after run lengths are expanded */

enum gdb_event {
	GDB_NOTHING, /* the parser used all bytes, and no event occurred */
	GDB_ACK,     /* '+' */
	GDB_NAK,     /* '-' */
	GDB_BODY,    /* a packet: body[size], followed by a NUL */
	GDB_DAMAGED, /* a packet with a wrong sum, a wrong run length or a body that is too long */
};

struct gdb_packet {
	size_t size;
	enum { GDB_BETWEEN, GDB_IN_BODY, GDB_RUN, GDB_SUM_HIGH, GDB_SUM_LOW } state;
	uint8_t sum, want;
	int damaged;   /* an enum gdb_event, reported at the packet's end */
	int is_notice; /* %BODY#SUM, an unrequested notification: ignored */
	uint8_t body[GDB_PACKET_MAX + 1];
};

/* Parses bytes until an event occurs. *used: the number of bytes parsed. Start with a zeroed
 * struct. */
enum gdb_event gdb_packet_feed(struct gdb_packet *packet, const uint8_t *bytes, size_t size,
                               size_t *used);

/* Writes "$BODY#SUM" and a NUL to `to`, which has room for size + 5 bytes. Returns the length. The
 * body is text without '$', '#', '*' and '}'. */
size_t gdb_packet_make(char *to, const char *body, size_t size);

/* Decodes hex digits to at most room bytes. Returns the number of bytes. Stops at the first pair
 * that is not two digits. */
size_t gdb_packet_hex(const uint8_t *digits, size_t size, uint8_t *to, size_t room);

/* Decodes binary data ('}' and a byte mean the byte ^ 0x20) to at most room bytes. Returns the
 * number of bytes. */
size_t gdb_packet_binary(const uint8_t *data, size_t size, uint8_t *to, size_t room);

#endif
