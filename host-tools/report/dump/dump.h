/* SPDX-License-Identifier: MIT */
/* The state of `bareperf dump`: the options, and the counts that it collects for the summary. */
#ifndef HOST_TOOLS_REPORT_DUMP_DUMP_H
#define HOST_TOOLS_REPORT_DUMP_DUMP_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "host-tools/ledger/recount.h"
#include "host-tools/perfdata/perf_reader.h"
#include "host-tools/report/dump/dump_filter.h"
#include "host-tools/report/symbols/symbols.h"
#include "host-tools/util/format.h"
#include "writer/ledger/ledger.h"

#define DUMP_TYPES 88 /* record types with a counter of their own */

struct dump {
	const char *path;
	bool quiet; /* --summary, --json: no records */
	bool hex;
	struct dump_filter filter;
	struct dump_fields aux; /* fields of the AUX record before the next piece */
	struct format *format;
	struct ledger ledger;
	bool has_ledger;
	bool rewritten;  /* another tool rewrote the file without its ledger */
	bool unfinished; /* the file's writer was killed before it finished */
	uint64_t types[DUMP_TYPES];
	uint64_t records;
	uint64_t bytes;
	struct tr_clock clock;  /* clock of the timestamps in AUX pieces; time_mult 0: unknown */
	struct recount recount; /* counts a file's records into ledger */
	uint64_t aux_type;      /* perf's number of the AUX decoder, from AUXTRACE_INFO */
	struct {
		uint64_t pieces, records;
		uint64_t errors;   /* positions without a valid record */
		uint64_t error_at; /* position of the first error in the AUX area */
	} spe;
	struct symbols *symbols; /* NULL: no names */
	uint64_t skipped;        /* bytes of the rings that another reader consumed */
};

/* Print and count all records of a perf.data file or of a region, and keep the ledger in dump. 0 or
 * a negative errno; records before an error are counted. */
int dump_perf_data(struct dump *dump, struct error *error);
int dump_region(struct dump *dump, const struct channel_file_options *pick, struct error *error);

/* Count a record by type and print it, unless quiet, or filtered out. */
void dump_one(struct dump *dump, const struct perf_event_header *record, uint64_t offset,
              const struct perf_event_attr *attr, const char *event);

/* Print and count the contents of the AUX piece behind an AUXTRACE record. From other records,
 * learn how to decode the pieces. Call it after dump_one(). */
void dump_auxtrace(struct dump *dump, const struct perf_reader_record *record);

/* Like dump_auxtrace(), for a piece that an AUX record in a region's ring announces. The piece is
 * counted as delivered, or as unread if it lies behind the ring's aux_tail. Its contents are
 * printed only if they were not overwritten. */
void dump_aux_area(struct dump *dump, const struct region *region, uint32_t ring,
                   const struct perf_event_header *record);

/* Whether the machine's run, or the file's writer, ended before it was finished. */
bool dump_unfinished(const struct dump *dump);

/* Print the faults, if any, before the records: an unfinished run, the missing records according to
 * the ledger, and the options that would avoid the loss. At this time a file's ledger has only the
 * counts of its writer, and the unsaved records of a region are not counted yet. */
void dump_faults(const struct dump *dump, FILE *out);

/* Print the closing summary with the conservation check on standard output, as text or as JSON.
 * conserved: the check holds, or there is no ledger to check. */
bool dump_summary_text(const struct dump *dump);
int dump_summary_json(const struct dump *dump, bool *conserved, struct error *error);

/* Run `bareperf dump`; argv[0] is its name. Returns the exit status. Main thread. */
int command_dump(int argc, char **argv);

#endif
