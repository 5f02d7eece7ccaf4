/* SPDX-License-Identifier: MIT */
/*
 * The conservation check: compares a ledger, whose found side was counted by parsing, with every
 * line of docs/trace-region.md, "Ledgers".
 */
#ifndef HOST_TOOLS_LEDGER_CHECK_H
#define HOST_TOOLS_LEDGER_CHECK_H

#include <stdbool.h>

#include "writer/ledger/ledger.h"

/* Called for each equation: whether it holds, and a line of text with its numbers. */
typedef void (*check_fn)(void *context, bool holds, const char *line);

/* Check all equations; report may be NULL. Returns true if nothing is unaccounted for. */
bool check_conserved(const struct ledger *ledger, check_fn report, void *context);

/* Sums over the rings, for summaries. */
struct check_wakeups {
	uint64_t causes[TR_WAKEUP_CAUSES];
	uint64_t sent;
	uint64_t coalesced;
	uint64_t repeated; /* doorbells rung again for the same wakeup */
	uint64_t received; /* by the reader's own count */
	uint64_t rung;     /* doorbells that the host received, repeated ones included */
};
struct check_wakeups check_sum_wakeups(const struct ledger *ledger);

/* The number of an event's records that newer ones overwrote: in overwritable rings, the records
 * that the reader did not find. */
uint64_t check_overwritten(const struct ledger *ledger, const struct ledger_event *event);

#endif
