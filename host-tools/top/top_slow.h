/* SPDX-License-Identifier: MIT */
/*
 * Handles a cable that is slower than the machine's samples: sends the machine the mailbox command
 * "slower N" (docs/trace-region.md), so that the machine samples less often before more records are
 * lost. The samples then have larger PERIODs, so all shares stay right. Thread: the draining
 * thread.
 */
#ifndef HOST_TOOLS_TOP_TOP_SLOW_H
#define HOST_TOOLS_TOP_TOP_SLOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "writer/session/session.h"

struct top_slow {
	uint64_t factor;                     /* the last factor sent to the machine; 0: none */
	uint64_t generated, delivered, lost; /* the counts at the last check */
	double looked;                       /* s: the time of the last check */
	/* the highest fill level of any ring since then, 0 to 1 */
	double fill;
	bool cannot; /* the firmware does not have this command */
};

/* Computes how much less often than now the machine should sample; 1: no change. The inputs are the
 * records generated, delivered and lost since the last check, and the highest fill level of a ring,
 * 0 to 1. */
uint64_t top_slow_factor(uint64_t generated, uint64_t delivered, uint64_t lost, double fill);

/* If a check is due, reads the session's ledger, which must be current, and the fill level, and
 * sends a command if needed. stopped: send no more commands. */
void top_slow_look(struct top_slow *slow, struct session *session, double now, bool stopped);

/* Builds the message for the user; false: none. */
bool top_slow_text(const struct top_slow *slow, const struct session *session, char *text,
                   size_t size);

#endif
