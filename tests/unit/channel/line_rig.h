/* SPDX-License-Identifier: MIT */
/*
 * The target's end of a line, over a small region, and a host that uses channel/wire/ (which has
 * its own tests): the target's bytes are decoded as they come. One at a time.
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
#define RIG_CONTROL  65536U /* offset of ring 0's control page; ring 1's is a page later */
#define RIG_RINGS    2U
#define RIG_TEXT_MAX 65536U

extern struct line rig_line;
extern struct line_region rig_region;
extern uint8_t rig_memory[RIG_SIZE];

/* The host's received data: text in plain mode, and the last frame of each kind. */
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
	uint8_t got[65536]; /* bytes of the current GET */
	uint8_t have[65536];
	uint16_t tag;
	uint32_t left;       /* of that */
	bool encoded;        /* whether a part of the GET's bytes was encoded */
	uint8_t types[4096]; /* types of the frames, in order */
} host;

/* A line in plain text mode, of a machine with two rings. */
void rig_start(void);

/* Print on the machine's console. */
void rig_print(const char *text);

/* Take everything that the line has to send, at most so many bytes. Returns their number. */
unsigned rig_take(unsigned most);

/* The host receives these bytes. */
void host_take(const uint8_t *bytes, unsigned count);

/* Make a frame of a body, as it is sent. */
unsigned host_frame(uint8_t *to, uint8_t *body, size_t size);

/* The host sends a body. */
void host_send(uint8_t *body, size_t size);
void host_hello(uint64_t nonce);
void host_get(uint64_t offset, uint32_t size, uint8_t flags);
void host_put_number(uint32_t number, uint64_t offset, const void *bytes, uint16_t size);
/* PUT under the next number. Returns the status that came, or 1 if none came. */
int host_put(uint64_t offset, const void *bytes, uint16_t size);
int host_clear(const uint64_t *offsets, uint16_t count);

#endif
