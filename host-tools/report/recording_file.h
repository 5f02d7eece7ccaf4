/* SPDX-License-Identifier: MIT */
/* A perf.data file as its views see it: every record in turn, names for addresses, and what is
 * missing. Thread: the one that opened it. */
#ifndef HOST_TOOLS_REPORT_RECORDING_FILE_H
#define HOST_TOOLS_REPORT_RECORDING_FILE_H

#include "host-tools/perfdata/perf_reader.h"
#include "host-tools/report/symbols/symbols.h"
#include "writer/ledger/ledger.h"
#include "writer/util/error.h"

struct recording_file {
	struct perf_reader reader; /* events[].samples is set */
	struct symbols *symbols;   /* of all mappings */
	bool has_trace;            /* pieces of AUX areas */
	uint64_t strange;          /* samples of no known event, or that end too early for theirs */
	struct error broken;       /* where the file ends too early; "": it does not */
};

/* Open it, and go through it once: mappings, and how many samples each event has. path must stay,
 * and so must search: where UEFI images' functions are looked for, or NULL. 0, or a negative errno,
 * after which recording_file_close() is still due. A file that is broken or cut off has what comes
 * before that. */
int recording_file_open(struct recording_file *file, const char *path, struct pe_search *search,
                        struct error *error);
void recording_file_close(struct recording_file *file);

/* When a record that is no sample was written, in ns; 0: it does not say. */
uint64_t recording_file_time(struct perf_reader *reader, const struct perf_event_header *record);

/* Whether path is this file: what a view writes must not go there. */
bool recording_file_is(const struct recording_file *file, const char *path);

/* The event of this name, or the one with the most samples. -ENODATA: it has none, or no samples.
 */
int recording_file_event(const struct recording_file *file, const char *name,
                         const struct perf_reader_event **event, struct error *error);

/* Show all records to visit, with what is behind those of traces; the rest is the same. */
int recording_file_records(struct recording_file *file,
                           int (*visit)(void *context, const struct perf_reader_record *record),
                           void *context, struct error *error);

/* Show all records to visit, which returns a negative errno to stop. 0, or that. */
int recording_file_walk(struct recording_file *file,
                        int (*visit)(void *context, struct perf_reader *reader,
                                     const struct perf_event_header *record),
                        void *context, struct error *error);

/* The file's ledger, with what is found in the file counted anew: enum perf_ledger, and a ledger if
 * that is PERF_LEDGER_WHOLE; or a negative errno. ledger is all 0 before, and to be freed after. */
int recording_file_ledger(const struct recording_file *file, struct ledger *ledger,
                          struct error *error);

/* Tell on standard error what is missing by the file's ledger, if it has one. 0, or a negative
 * errno with the reason if the file is broken: to be called when all that is there was shown. */
int recording_file_missing(const struct recording_file *file, struct error *error);

#endif
