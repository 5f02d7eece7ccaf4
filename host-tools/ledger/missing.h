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
	MISSING_RECORDS,       /* records without room in their ring; of all that were generated */
	MISSING_BRANCHES,      /* branches that are not in the trace; of all that were taken */
	MISSING_PIECES,        /* AUX records with TRUNCATED; the amount that was lost is unknown */
	MISSING_GAPS,          /* AUX records with PARTIAL, likewise */
	MISSING_COLLISIONS,    /* AUX records with COLLISION: operations that were not sampled */
	MISSING_BYTES,         /* of the AUX area: discarded as unreliable */
	MISSING_THROTTLED,     /* times that the event was stopped until the next tick */
	MISSING_UNSAVED,       /* records that the machine wrote, and that the file lacks */
	MISSING_UNSAVED_BYTES, /* the same of the AUX area */
	MISSING_KINDS,
};

/* One thing that an event lacks, on all its CPUs together. */
struct missing {
	enum missing_kind kind;
	char event[80]; /* its name, printable */
	uint32_t cpus;  /* on so many CPUs */
	uint64_t count; /* TR_UNKNOWN: not counted */
	uint64_t of;    /* out of so many; 0: it is not part of a whole */
};

typedef void (*missing_fn)(void *context, const struct missing *missing);

/* Report each missing part, event by event; report may be NULL. True if anything is missing. */
bool missing_list(const struct ledger *ledger, missing_fn report, void *context);

/* The sums over all events; a sum that is not known is TR_UNKNOWN. The ledger may be of a machine
 * that still records. */
void missing_sum(const struct ledger *ledger, uint64_t sums[MISSING_KINDS]);

/* The kind as a word, for JSON. */
const char *missing_kind_name(enum missing_kind kind);

/* "cycles: 10 of 110 records (9.1 %) found no room in the ring", without a newline. */
void missing_text(const struct missing *missing, char *text, size_t size);

/*
 * The options that would have kept the missing parts, with their values: "-m 512,4096 -c 2000000".
 * Sizes have room for all records however slow the reader is, if their amount is known; else they
 * are a few times the present ones. False and "" if no option would help.
 */
bool missing_advice(const struct ledger *ledger, char *text, size_t size);

#endif
