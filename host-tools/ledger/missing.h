/* SPDX-License-Identifier: MIT */
/*
 * The missing parts of a recording, by its ledger, and the option that would have kept them, for
 * all that report them: the closing line, the progress line, `dump`.
 */
#ifndef HOST_TOOLS_LEDGER_MISSING_H
#define HOST_TOOLS_LEDGER_MISSING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "writer/ledger/ledger.h"

enum missing_kind {
	MISSING_RECORDS,       /* found no room in their ring; of all that were generated */
	MISSING_BRANCHES,      /* are not in the trace; of all that were taken */
	MISSING_PIECES,        /* AUX records with TRUNCATED, and nobody knows what passed behind */
	MISSING_GAPS,          /* AUX records with PARTIAL, likewise */
	MISSING_COLLISIONS,    /* AUX records with COLLISION: operations that were not sampled */
	MISSING_BYTES,         /* of the AUX area: given up, since they were not to be trusted */
	MISSING_THROTTLED,     /* times that the event was stopped until the next tick */
	MISSING_UNSAVED,       /* records that the machine wrote, and that are not here */
	MISSING_UNSAVED_BYTES, /* the same of the AUX area */
	MISSING_KINDS,
};

/* One thing that an event lacks, on all its CPUs together. */
struct missing {
	enum missing_kind kind;
	char event[80]; /* its name, printable */
	uint32_t cpus;  /* on so many CPUs */
	uint64_t count; /* TR_UNKNOWN: nobody counted */
	uint64_t of;    /* out of so many; 0: it is not part of a whole */
};

typedef void (*missing_fn)(void *context, const struct missing *missing);

/* Tell of everything that is missing, event by event; tell may be NULL. True if anything is. */
bool missing_list(const struct ledger *ledger, missing_fn tell, void *context);

/* The sums over all events; a sum that is not known is TR_UNKNOWN. The ledger may be of a machine
 * that still records. */
void missing_sum(const struct ledger *ledger, uint64_t sums[MISSING_KINDS]);

/* The kind as a word, for JSON. */
const char *missing_kind_name(enum missing_kind kind);

/* "cycles: 10 of 110 records (9.1 %) found no room in the ring", without a newline. */
void missing_text(const struct missing *missing, char *text, size_t size);

/*
 * The options that would have kept it, with their values: "-m 512,4096 -c 2000000". Sizes are those
 * in which everything finds room however slow the reader is, where it is known how much that is;
 * else a few times today's. False and "" if no option of ours would.
 */
bool missing_advice(const struct ledger *ledger, char *text, size_t size);

#endif
