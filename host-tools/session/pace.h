/* SPDX-License-Identifier: MIT */
/*
 * How fast a channel brings what a machine has recorded, and what follows from that: how long the
 * rest takes, and how often events may sample so that all of it fits. A byte is one of the ring's,
 * however few the channel makes of it.
 */
#ifndef HOST_TOOLS_SESSION_PACE_H
#define HOST_TOOLS_SESSION_PACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "writer/ledger/ledger.h"

/* Of the looks that the channel took its time for. All zero: nothing is known. */
struct pace {
	double bytes, seconds; /* of those that are over */
	uint64_t top, backlog; /* of this one: at first, and now */
	double lasts, at;      /* s: so far, and at the last note */
};

/* So many bytes are still to be brought, at `now`. */
void pace_note(struct pace *pace, double now, uint64_t backlog);

/* Bytes a second; 0: unknown, as the channel was never seen to be what is waited for. */
double pace_rate(const struct pace *pace);

/* s until what the machine has published is here; 0: unknown, or nothing is missing. */
double pace_left(const struct pace *pace);

/* Of two digits, and no more often than once in factor (above 1) of what is sampled now. */
uint64_t pace_period(uint64_t period, double factor);
uint64_t pace_freq(uint64_t freq, double factor);

/* The options with which a recording that lost records would fit: "-c 1200000", "-F 850". False
 * and "" if nothing was lost, the channel was not the reason, or it is not known. */
bool pace_advice(const struct pace *pace, const struct ledger *ledger, char *text, size_t size);

/* Bytes that the file will need beyond those that its file system has free; 0: it has room. */
uint64_t pace_short_of(uint64_t backlog, uint64_t free_bytes);

#endif
