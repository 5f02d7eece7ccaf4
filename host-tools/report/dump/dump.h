/* SPDX-License-Identifier: MIT */
/* The data that `bareperf dump` collects while it prints, and its end. */
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

#define DUMP_TYPES 88 /* record types that are counted each by itself */

struct dump {
	const char *path;
	bool quiet; /* --summary, --json: no records */
	bool hex;
	struct dump_filter filter;
	struct dump_fields aux; /* of the AUX record that the next piece belongs to */
	struct format *format;
	struct ledger ledger;
	bool has_ledger;
	bool rewritten;  /* another tool has dropped it */
	bool unfinished; /* a file whose writer was ended before it was done */
	uint64_t types[DUMP_TYPES];
	uint64_t records;
	uint64_t bytes;
	struct tr_clock clock;  /* of timestamps in AUX pieces; time_mult 0: unknown */
	struct recount recount; /* of a file's records into ledger */
	uint64_t aux_type;      /* perf's number of their decoder, as AUXTRACE_INFO says */
	struct {
		uint64_t pieces, records;
		uint64_t errors;   /* places that are no record */
		uint64_t error_at; /* position in the AUX area of the first */
	} spe;
	struct symbols *symbols; /* NULL: no names */
	uint64_t skipped;        /* bytes of the rings that another reader had read before */
};

/* Print all records of a perf.data file or of a region, count them, and leave the ledger. 0 or
 * a negative errno; what could be read until then is counted. */
int dump_perf_data(struct dump *dump, struct error *error);
int dump_region(struct dump *dump, const struct channel_file_options *pick, struct error *error);

/* Count a record by type and print it, unless quiet, or filtered out. */
void dump_one(struct dump *dump, const struct perf_event_header *record, uint64_t offset,
              const struct perf_event_attr *attr, const char *event);

/* Print and count what the AUX piece behind an AUXTRACE record holds; learn from other records
 * how. After dump_one(). */
void dump_auxtrace(struct dump *dump, const struct perf_reader_record *record);

/* The same for a piece that an AUX record of a region's ring announces, if it is still there;
 * counts it as delivered or unread by the ring's aux_tail. */
void dump_aux_area(struct dump *dump, const struct region *region, uint32_t ring,
                   const struct perf_event_header *record);

/* Whether who made it, machine or writer of the file, did not come to its end. */
bool dump_unfinished(const struct dump *dump);

/* Print the faults before anything else, if there are any: an unfinished run, the records that are
 * missing by its ledger, and the options that would have kept them. Before the records are read, a
 * file's ledger has its writer's counts, and the unsaved records of a region are not known yet. */
void dump_faults(const struct dump *dump, FILE *out);

/* The closing summary with the conservation check, as text or as JSON, on standard output.
 * True if conserved, or if there is no ledger to say otherwise. */
bool dump_summary_text(const struct dump *dump);
int dump_summary_json(const struct dump *dump, bool *conserved, struct error *error);

/* `bareperf dump`; argv[0] is its name. Returns its exit status. Main thread. */
int command_dump(int argc, char **argv);

#endif
