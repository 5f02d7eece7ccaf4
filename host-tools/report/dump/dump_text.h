/* SPDX-License-Identifier: MIT */
/* Prints records as text like `perf report -D`: one line per record, more lines for a callchain. */
#ifndef HOST_TOOLS_REPORT_DUMP_DUMP_TEXT_H
#define HOST_TOOLS_REPORT_DUMP_DUMP_TEXT_H

#include "abi/perf_event.h"
#include "host-tools/report/symbols/symbols.h"
#include "host-tools/util/format.h"

/* Data about a record that is not in its bytes. */
struct dump_context {
	uint64_t offset;                    /* in the file or region */
	const struct perf_event_attr *attr; /* attributes of its event; NULL: unknown */
	const char *event;                  /* the event's name, "" if unknown */
	bool hex;                           /* print the bytes as well */
	struct symbols *symbols;            /* to print functions' names; NULL: no names */
};

/* Print " FUNCTION"; print nothing if the function is unknown. */
void dump_function(struct format *format, struct symbols *symbols, uint64_t address);

/* Print a whole record. record must be aligned to 8 bytes. */
void dump_record(struct format *format, const struct perf_event_header *record,
                 const struct dump_context *context);

#endif
