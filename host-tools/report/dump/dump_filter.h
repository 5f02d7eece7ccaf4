/* SPDX-License-Identifier: MIT */
/*
 * Selects the records that `bareperf dump` prints, by perf's options and the language of --filter:
 *
 *	filter = group {"," group}          all groups must hold
 *	group  = term {"||" term}           one term must hold
 *	term   = field operator number      period > 1000, ip & 0x1000, addr == 0
 *
 * Source: perf-record(1), "EVENT FILTERING"; perf-script(1), --time, --cpu.
 */
#ifndef HOST_TOOLS_REPORT_DUMP_DUMP_FILTER_H
#define HOST_TOOLS_REPORT_DUMP_DUMP_FILTER_H

#include <argp.h>
#include <stdbool.h>
#include <stdint.h>

#include "abi/perf_event.h"

#define DUMP_FILTER_TERMS 32U
#define DUMP_FILTER_CPUS  32U /* most ranges in a list of CPUs */

enum dump_field {
	DUMP_IP,
	DUMP_ADDR,
	DUMP_TIME, /* ns */
	DUMP_PERIOD,
	DUMP_ID,
	DUMP_CPU,
	DUMP_PID,
	DUMP_TID,
	DUMP_FIELDS
};

/* The known fields of a record. A record that the file's writer made up has none. */
struct dump_fields {
	uint64_t value[DUMP_FIELDS];
	unsigned has;      /* bit 1U << field: the field is known */
	const char *event; /* NULL: unknown */
};

struct dump_filter_term {
	enum dump_field field;
	unsigned operator; /* index into the operators of dump_filter.c */
	uint64_t number;
	bool is_last; /* last term of its group */
};

/* All zero: every record is printed. */
struct dump_filter {
	const char *event; /* NULL: any */
	bool has_time;
	uint64_t from, to; /* ns, both included */
	unsigned cpu_ranges;
	struct {
		uint64_t first, last;
	} cpus[DUMP_FILTER_CPUS];
	unsigned terms;
	struct dump_filter_term term[DUMP_FILTER_TERMS];
};

/* The filter's options, as a child of an argp parser; the child's input is a struct dump_filter. */
extern const struct argp dump_filter_argp;

bool dump_filter_is_on(const struct dump_filter *filter);

/* Whether a record with these fields passes the filter. A record without a field that the filter
 * needs does not pass. */
bool dump_filter_passes(const struct dump_filter *filter, const struct dump_fields *fields);

/* Get the known fields of a record; attr NULL: its event is unknown. */
void dump_fields_of(struct dump_fields *fields, const struct perf_event_header *record,
                    const struct perf_event_attr *attr, const char *event);

static inline void dump_field_set(struct dump_fields *fields, enum dump_field field, uint64_t value)
{
	fields->value[field] = value;
	fields->has |= 1U << field;
}

/* Parse the text of --filter, --time (seconds: "1.5,2", "1.5,", ",2") or --cpu ("0-1,3"). Returns
 * NULL, or a message with the mistake. Main thread. */
const char *dump_filter_parse(struct dump_filter *filter, const char *text);
const char *dump_filter_parse_time(struct dump_filter *filter, const char *text);
const char *dump_filter_parse_cpus(struct dump_filter *filter, const char *text);

#endif
