/* SPDX-License-Identifier: MIT */
/* A perf.data file as the views read it: all records in file order, names for addresses, and the
 * missing records. Thread: the thread that opened the file. */
#ifndef HOST_TOOLS_REPORT_RECORDING_FILE_H
#define HOST_TOOLS_REPORT_RECORDING_FILE_H

#include "host-tools/perfdata/perf_reader.h"
#include "host-tools/report/symbols/symbols.h"
#include "writer/ledger/ledger.h"
#include "writer/util/error.h"

struct recording_file {
	struct perf_reader reader; /* events[].samples is set */
	struct symbols *symbols;   /* with all mappings of the file */
	bool has_trace;            /* the file has pieces of AUX areas */
	uint64_t strange;          /* samples of an unknown event, or too short for their event */
	struct error broken; /* the position where the file ends too early; "": the file is whole */
};

/* Open a perf.data file and read it once, to learn the mappings and the number of samples of each
 * event. path and search must stay valid until recording_file_close(). search says where to look
 * for the functions of UEFI images; it may be NULL. Returns 0 or a negative errno; call
 * recording_file_close() in both cases. If the file is damaged or cut off, the records before the
 * damage can be read. */
int recording_file_open(struct recording_file *file, const char *path, struct pe_search *search,
                        struct error *error);
void recording_file_close(struct recording_file *file);

/* The time in ns of a record that is not a sample; 0: the record has no time. */
uint64_t recording_file_time(struct perf_reader *reader, const struct perf_event_header *record);

/* Whether path names this file. A view must not write its output to its own input. */
bool recording_file_is(const struct recording_file *file, const char *path);

/* Find the event of this name; name NULL: the event with the most samples. -ENODATA: the file has
 * no such event, or no samples. */
int recording_file_event(const struct recording_file *file, const char *name,
                         const struct perf_reader_event **event, struct error *error);

/* Like recording_file_walk(), but each AUXTRACE record is shown with the bytes of its trace. */
int recording_file_records(struct recording_file *file,
                           int (*visit)(void *context, const struct perf_reader_record *record),
                           void *context, struct error *error);

/* Call visit for every record. If visit returns a negative errno, the walk stops and returns that
 * errno. Otherwise 0. */
int recording_file_walk(struct recording_file *file,
                        int (*visit)(void *context, struct perf_reader *reader,
                                     const struct perf_event_header *record),
                        void *context, struct error *error);

/* Read the file's ledger and count the records of the file again. Returns a value of enum
 * perf_ledger, or a negative errno. *ledger is valid only for PERF_LEDGER_WHOLE. *ledger must be
 * all 0 before the call, and must be freed in all cases. */
int recording_file_ledger(const struct recording_file *file, struct ledger *ledger,
                          struct error *error);

/* Report on standard error which records are missing according to the file's ledger, if the file
 * has one. Call this after all records were shown. 0, or a negative errno with the reason if the
 * file is damaged. */
int recording_file_missing(const struct recording_file *file, struct error *error);

#endif
