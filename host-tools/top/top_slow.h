/* SPDX-License-Identifier: MIT */
/*
 * A cable that brings less than a machine samples: the machine is told, by its mailbox, to sample
 * less often ("slower N", docs/trace-region.md), before more is lost. Its samples then have larger
 * PERIODs, so no share changes. Thread: the one that drains.
 */
#ifndef HOST_TOOLS_TOP_TOP_SLOW_H
#define HOST_TOOLS_TOP_TOP_SLOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "writer/session/session.h"

struct top_slow {
	uint64_t factor;                     /* that the machine was told; 0: it was told nothing */
	uint64_t generated, delivered, lost; /* at the last look, */
	double looked;                       /* s, which was then */
	double fill;                         /* the most in any ring since then, 0 to 1 */
	bool cannot;                         /* its firmware knows no such command */
};

/* From the records generated, delivered and lost since the last look, and the highest fill of a
 * ring, 0 to 1: the factor by which the machine should sample less often than now; 1: no change. */
uint64_t top_slow_factor(uint64_t generated, uint64_t delivered, uint64_t lost, double fill);

/* Look, if it is time, at the session's ledger, which is brought up to date, and at fill. stopped:
 * it is to be told nothing any more. */
void top_slow_look(struct top_slow *slow, struct session *session, double now, bool stopped);

/* The message for the user; false: none. */
bool top_slow_text(const struct top_slow *slow, const struct session *session, char *text,
                   size_t size);

#endif
