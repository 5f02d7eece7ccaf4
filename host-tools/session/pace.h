/* SPDX-License-Identifier: MIT */
/*
 * The pace at which a channel brings a machine's records, the time that the rest takes, and the
 * sampling rate at which all records fit. Bytes are those of the rings, before the channel
 * compresses them.
 */
#ifndef HOST_TOOLS_SESSION_PACE_H
#define HOST_TOOLS_SESSION_PACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "writer/ledger/ledger.h"

/* Measured over the channel's refreshes that took more than one call. All zero: unknown. */
struct pace {
	double bytes, seconds; /* of the completed refreshes */
	uint64_t top, backlog; /* of the current refresh: at its begin, and now */
	double lasts, at;      /* s: so far, and at the last note */
};

/* Note at time `now` that so many bytes must still be brought. */
void pace_note(struct pace *pace, double now, uint64_t backlog);

/* Bytes a second; 0: unknown, since the channel never was the bottleneck. */
double pace_rate(const struct pace *pace);

/* s until all published records are here; 0: unknown, or all are here. */
double pace_left(const struct pace *pace);

/* The period or frequency at which events sample at most 1/factor as often as now (factor above 1),
 * rounded to two digits. */
uint64_t pace_period(uint64_t period, double factor);
uint64_t pace_freq(uint64_t freq, double factor);

/* The options with which a recording that lost records would fit: "-c 1200000", "-F 850". False
 * and "" if nothing was lost, the channel was not the reason, or it is not known. */
bool pace_advice(const struct pace *pace, const struct ledger *ledger, char *text, size_t size);

/* Bytes that the file will need beyond those that its file system has free; 0: it has room. */
uint64_t pace_short_of(uint64_t backlog, uint64_t free_bytes);

#endif
