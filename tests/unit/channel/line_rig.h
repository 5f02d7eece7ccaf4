/* SPDX-License-Identifier: MIT */
/*
 * A line's target end over a small region, and a host that speaks the wire with channel/wire/
 * (which has tests of its own): what the target sends is taken apart as it comes. One at a time.
 */
#ifndef TESTS_UNIT_CHANNEL_LINE_RIG_H
#define TESTS_UNIT_CHANNEL_LINE_RIG_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "channel/lines.h"

#define RIG_SIZE     (256U << 10)
#define RIG_MAILBOX  4096U
#define RIG_BELLS    8192U
#define RIG_CONSOLE  16384U
#define RIG_STREAMS  20480U
#define RIG_CONTROL  65536U /* of ring 0; ring 1's is a page on */
#define RIG_RINGS    2U
#define RIG_TEXT_MAX 65536U

extern struct line rig_line;
extern struct line_region rig_region;
extern uint8_t rig_memory[RIG_SIZE];

/* The host's received data: text in plain mode, the last of each kind of frame. */
extern struct rig_host {
	struct wire_receiver receiver;
	char text[RIG_TEXT_MAX];
	unsigned text_size, frames, datas, dones, statuses, welcomes, broken, gaps;
	uint16_t expected, sequence;
	uint32_t number;
	struct wire_welcome welcome;
	struct wire_status status;
	struct wire_done done;
	struct wire_baud baud;
	uint8_t got[65536]; /* of the GET under way */
	uint8_t have[65536];
	uint16_t tag;
	uint32_t left;       /* of that */
	bool encoded;        /* some of it came encoded */
	uint8_t types[4096]; /* of the frames, in their order */
} host;

/* A line that is plain text, of a machine with two rings. */
void rig_start(void);

/* Print on the machine's console. */
void rig_print(const char *text);

/* Take all that the line has to send, if it is not more than so many bytes; how many. */
unsigned rig_take(unsigned most);

/* Take what a line has sent. */
void host_take(const uint8_t *bytes, unsigned count);

/* The frame of a body, for a line. */
unsigned host_frame(uint8_t *to, uint8_t *body, size_t size);

/* Send a body. */
void host_send(uint8_t *body, size_t size);
void host_hello(uint64_t nonce);
void host_get(uint64_t offset, uint32_t size, uint8_t flags);
void host_put_number(uint32_t number, uint64_t offset, const void *bytes, uint16_t size);
/* Under the next number; the status that came, or 1: none did. */
int host_put(uint64_t offset, const void *bytes, uint16_t size);
int host_clear(const uint64_t *offsets, uint16_t count);

#endif
