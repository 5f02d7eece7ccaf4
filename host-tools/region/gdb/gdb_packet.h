/* SPDX-License-Identifier: MIT */
/*
 * Packets of GDB's Remote Serial Protocol (GDB manual, appendix E, "Overview"): $BODY#SUM, where a
 * byte of BODY and '*' and N stand for N - 28 times that byte. Whatever arrives, in whatever
 * pieces, ends as a packet, as damage, or as nothing.
 */
#ifndef HOST_TOOLS_REGION_GDB_GDB_PACKET_H
#define HOST_TOOLS_REGION_GDB_GDB_PACKET_H

#include <stddef.h>
#include <stdint.h>

#define GDB_PACKET_MAX 65536U /* bytes of a body that we take, run lengths done */

enum gdb_event {
	GDB_NOTHING, /* all bytes were eaten */
	GDB_ACK,     /* '+' */
	GDB_NAK,     /* '-' */
	GDB_BODY,    /* a packet: body[size], and a NUL behind it */
	GDB_DAMAGED, /* a packet with a wrong sum, a wrong run length or a body that is too long */
};

struct gdb_packet {
	size_t size;
	enum { GDB_BETWEEN, GDB_IN_BODY, GDB_RUN, GDB_SUM_HIGH, GDB_SUM_LOW } state;
	uint8_t sum, want;
	int damaged;   /* an enum gdb_event may follow its end only */
	int is_notice; /* %BODY#SUM, which nobody asked for: passed over */
	uint8_t body[GDB_PACKET_MAX + 1];
};

/* Eat bytes until something has happened; *used: how many. Begin with a struct of zeros. */
enum gdb_event gdb_packet_feed(struct gdb_packet *packet, const uint8_t *bytes, size_t size,
                               size_t *used);

/* "$BODY#SUM" and a NUL to `to`, which has room for size + 5 bytes; its length. The body is text
 * without '$', '#', '*' and '}'. */
size_t gdb_packet_make(char *to, const char *body, size_t size);

/* Hex digits to bytes: how many bytes, up to room; stops where there are no two digits. */
size_t gdb_packet_hex(const uint8_t *digits, size_t size, uint8_t *to, size_t room);

/* Binary data ('}' and a byte stand for that byte ^ 0x20) to bytes: how many, up to room. */
size_t gdb_packet_binary(const uint8_t *data, size_t size, uint8_t *to, size_t room);

#endif
