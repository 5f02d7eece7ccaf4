/* SPDX-License-Identifier: MIT */
/*
 * Merging the ledgers of several machines into the ledger of a file with all records: the machines'
 * CPUs, events and rings follow each other, and an event's name follows its machine's
 * ("pc:cycles").
 *
 *     machine      0                 1                 …
 *     CPUs         0 … cpus - 1      cpus …
 *     ids          1 …               its events        …
 *
 * Any thread.
 */
#ifndef HOST_TOOLS_LEDGER_LEDGER_MERGE_H
#define HOST_TOOLS_LEDGER_LEDGER_MERGE_H

#include "writer/ledger/ledger.h"

/* One machine's part of the merged ledger. */
struct ledger_part {
	const char *name;
	const struct ledger *ledger;
	/* set by ledger_merge(): the offsets of the part's numbers */
	uint32_t cpus;      /* CPU numbers that it needs: the greatest one, + 1 */
	uint32_t first_cpu; /* the first of them */
	uint32_t first_event, first_ring, first_evsel;
};

/* The id that an event of the part has in the merged file. */
uint64_t ledger_part_id(const struct ledger_part *part, const struct ledger_event *event);

/*
 * Make the merged ledger `to` from count parts. The reader's counts are 0, except those that a file
 * does not contain (rings' positions, doorbells). If a machine did not complete its run, or failed,
 * its state and message become the merged ledger's. 0; -E2BIG: more CPUs, events or rings together
 * than a ledger can hold; -EINVAL: the parts do not fit together; -EPROTO: a part is malformed.
 * error names the part.
 */
int ledger_merge(struct ledger *to, struct ledger_part *parts, uint32_t count, struct error *error);

#endif
