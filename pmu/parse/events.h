/* SPDX-License-Identifier: MIT */
/* perf's event syntax, as text on the command line. */
#ifndef PMU_PARSE_EVENTS_H
#define PMU_PARSE_EVENTS_H

#include <stdbool.h>
#include <stddef.h>

#include "abi/perf_event.h"
#include "abi/source.h"

struct event_spec {
	struct perf_event_attr attr; /* type, config*, exclude flags; period if the text has one */
	uint64_t config3, config4;   /* perf's, as in struct perf_event */
	unsigned members; /* of a group's leader: the number of its events, itself included; 0: the
	                   * event belongs to the group before it */
	bool sample_read; /* :S: the leader samples, with the group's counts */
	char name[64];    /* as written, or the value of the term name= */
};

/* The sources of events: those in the image, ended by NULL. is_here() reports whether the machine
 * has a source's hardware; NULL: not known. */
struct event_sources {
	const struct pmu_source *const *list;
	bool (*is_here)(const struct pmu_source *source);
};

/* A mistake in the text, and its place. */
struct parse_error {
	const char *what;  /* a phrase: "unknown event" */
	const char *at;    /* points into the parsed text */
	const char *meant; /* the most similar known name; NULL: none is similar */
};

/*
 * Parse a list: NAME | rHEX | SOURCE/TERM[=VALUE],.../ , each with :MODIFIERS (u, k, h, p, S), with
 * commas between; {EVENT,...}:MODIFIERS is a group. NAME is one of perf's generic hardware events
 * or software events, or an event name of a source in sources. TERM is one of the source's formats,
 * or config, config1, config2 (only bits that its formats have), period, freq, name. VALUE is
 * decimal or 0x hexadecimal; for name it is text up to ',' or '/'. Returns the number of specs
 * filled (1 to max), or -EINVAL with error. Thread.
 */
int parse_events(const char *text, const struct event_sources *sources, struct event_spec *specs,
                 unsigned max, struct parse_error *error);

/* perf's names of generic hardware events, and of the software events that bareperf has; each list
 * ends with a NULL name. The machine decides which source serves a hardware event. */
extern const struct pmu_event_name parse_generic_events[], parse_software_events[];

/* The message for an unknown event. */
extern const char parse_unknown_event[];

/* Whether parse_events() knows the event at text (modifiers ignored): one of perf's names, a raw
 * event, or SOURCE/.../. sources ends with NULL; sources NULL: perf's names only. An unknown name
 * may still be an event of the CPU's own list. Thread. */
bool parse_events_knows(const char *text, const struct pmu_source *const *sources);

/* Parse a whole number, decimal or 0x hexadecimal, at *at; moves *at behind it. Returns 0; -EINVAL:
 * no digit; -ERANGE: more than 64 bits. */
int parse_number(const char **at, uint64_t *value);

#endif
