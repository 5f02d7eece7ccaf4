/* SPDX-License-Identifier: MIT */
/* Records as text, one line each and more for a callchain, like `perf report -D`. */
#ifndef HOST_TOOLS_REPORT_DUMP_DUMP_TEXT_H
#define HOST_TOOLS_REPORT_DUMP_DUMP_TEXT_H

#include "abi/perf_event.h"
#include "host-tools/report/symbols/symbols.h"
#include "host-tools/util/format.h"

/* The known data about a record beside its bytes. */
struct dump_context {
	uint64_t offset;                    /* in the file or region */
	const struct perf_event_attr *attr; /* of its event, NULL: unknown */
	const char *event;                  /* the event's name, "" if unknown */
	bool hex;                           /* print the bytes as well */
	struct symbols *symbols;            /* names of functions; NULL: none */
};

/* " FUNCTION", or nothing where nobody knows one. */
void dump_function(struct format *format, struct symbols *symbols, uint64_t address);

/* Print a whole record, aligned. */
void dump_record(struct format *format, const struct perf_event_header *record,
                 const struct dump_context *context);

#endif
