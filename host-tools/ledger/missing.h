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
	/* records without room in their ring; a share of all generated ones */
	MISSING_RECORDS,
	MISSING_BRANCHES,      /* branches that are not in the trace; a share of all taken ones */
	MISSING_PIECES,        /* AUX records with TRUNCATED; how much was lost is unknown */
	MISSING_GAPS,          /* AUX records with PARTIAL; likewise unknown */
	MISSING_COLLISIONS,    /* AUX records with COLLISION: operations that were not sampled */
	MISSING_BYTES,         /* bytes of the AUX area that were discarded as unreliable */
	MISSING_THROTTLED,     /* times that the event was stopped until the next tick */
	MISSING_UNSAVED,       /* records that the machine wrote and that the file lacks */
	MISSING_UNSAVED_BYTES, /* likewise bytes of the AUX area */
	MISSING_KINDS,
};

/* One kind of loss of an event, on all its CPUs together. */
struct missing {
	enum missing_kind kind;
	char event[80]; /* its name, printable */
	uint32_t cpus;  /* the number of CPUs with this loss */
	uint64_t count; /* TR_UNKNOWN: not counted */
	uint64_t of;    /* the total that it is a share of; 0: no total */
};

typedef void (*missing_fn)(void *context, const struct missing *missing);

/* Report each missing part, event by event; report may be NULL. Returns true if anything is
 * missing. */
bool missing_list(const struct ledger *ledger, missing_fn report, void *context);

/* The sums over all events; an unknown sum is TR_UNKNOWN. The machine of the ledger may still be
 * recording. */
void missing_sum(const struct ledger *ledger, uint64_t sums[MISSING_KINDS]);

/* The kind as a word, for JSON. */
const char *missing_kind_name(enum missing_kind kind);

/* Formats "cycles: 10 of 110 records (9.1 %) found no room in the ring", without a newline. */
void missing_text(const struct missing *missing, char *text, size_t size);

/*
 * The options that would have kept the missing parts, with their values: "-m 512,4096 -c 2000000".
 * If the number of lost records is known, the sizes hold all records however slow the reader is;
 * otherwise they are a few times the present ones. Returns false and "" if no option would help.
 */
bool missing_advice(const struct ledger *ledger, char *text, size_t size);

#endif
