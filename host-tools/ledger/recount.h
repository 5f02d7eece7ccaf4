/* SPDX-License-Identifier: MIT */
/* Counts the records of a perf.data file again into a ledger, instead of using its writer's counts.
 * */
#ifndef HOST_TOOLS_LEDGER_RECOUNT_H
#define HOST_TOOLS_LEDGER_RECOUNT_H

#include "writer/ledger/ledger.h"

struct perf_reader_record; /* host-tools/perfdata/perf_reader.h */

struct recount {
	struct ledger *ledger;         /* reset by ledger_recount() */
	uint64_t aux_offset, aux_size; /* from the last AUX record */
};

/* Count one of the file's records, in the file's order. */
void recount_record(struct recount *recount, const struct perf_reader_record *record);

/* Count a whole file up to its end or damage, which is reported as by perf_reader_next(). A path
 * that cannot be opened as a file counts as empty. */
int recount_file(struct ledger *ledger, const char *path, struct error *error);

#endif
