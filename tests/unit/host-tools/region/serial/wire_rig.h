/* SPDX-License-Identifier: MIT */
/*
 * A serial line with modelled time: the host's end (wire_host.h) and the target's own code
 * (channel/line.h), with a limited rate between them, and faults.
 */
#ifndef TESTS_UNIT_WIRE_RIG_H
#define TESTS_UNIT_WIRE_RIG_H

#include "channel/line.h"
#include "host-tools/region/serial/wire_host.h"

#define WIRE_RIG_SIZE  (1U << 20) /* bytes of the region */
#define WIRE_RIG_STEP  100        /* µs */
#define WIRE_RIG_NONCE 0x2122334455667788ULL
#define WIRE_RIG_FIFO  (1U << 16) /* the most bytes under way */

/* Per mille of the frames that are */
struct line_faults {
	unsigned dropped, flipped, doubled, delayed;
};

/* One direction. */
struct line_way {
	uint32_t rate; /* bytes per second; 0: unlimited */
	struct line_faults faults;
	bool cut;                            /* no bytes come through */
	bool eats[256];                      /* these bytes are lost */
	uint8_t mask;                        /* the bits that come through; 0: all */
	void (*change)(uint8_t *, size_t *); /* changes a body on its way */

	uint8_t frame[WIRE_FRAME_MAX + 512];
	size_t frame_size;
	uint8_t late[WIRE_FRAME_MAX + 512]; /* a frame that arrives after the next one */
	size_t late_size;
	uint8_t fifo[WIRE_RIG_FIFO];
	size_t fifo_size;
	uint64_t allowance;   /* bytes that may pass, in millionths */
	uint64_t moved, idle; /* bytes that came through, and bytes that could have */
};

struct wire_rig {
	uint8_t *memory; /* of the machine */
	struct line_region region;
	struct line line;
	struct wire_host host;
	struct line_way to_target, to_host;
	int64_t now;
	char text[4096]; /* text for the host */
	size_t text_size;
	uint64_t console; /* bytes of text that the machine has printed */
};

extern struct wire_rig rig;

/* A machine with a region of random words and two rings, and a line with this rate to it. */
void wire_rig_begin(uint32_t rate);
void wire_rig_end(void);

/* Let time pass until holds() is true or the time is over. Returns whether it became true. */
bool wire_rig_until(bool (*holds)(void), int64_t us);
bool wire_rig_is_framed(void);

#endif
