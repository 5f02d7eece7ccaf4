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
	uint64_t config3;            /* beyond attr, as in struct perf_event */
	unsigned members; /* of the group that it leads, itself included; 0: it is the group's of
	                     the one before it */
	bool sample_read; /* :S: its samples carry its group's counts, which sample no more */
	char name[64];    /* as written, or what the term name= says */
};

/* The sources of events: those in the image, ended by NULL. is_here() reports whether the machine
 * has a source's hardware; NULL: not known. */
struct event_sources {
	const struct pmu_source *const *list;
	bool (*is_here)(const struct pmu_source *source);
};

/* A text's mistake, and its place. */
struct parse_error {
	const char *what;  /* a phrase: "unknown event" */
	const char *at;    /* points into the parsed text */
	const char *meant; /* the name that is nearest to what is there; NULL: none is near */
};

/*
 * Parse a list: NAME | rHEX | SOURCE/TERM[=VALUE],.../ , each with :MODIFIERS (u, k, h, S), with
 * commas between; {EVENT,...}:MODIFIERS is a group. NAME is one of perf's generic hardware events
 * or software events, or a name of some source in sources; TERM one of its formats, or config,
 * config1, config2 (with no bit that its formats lack), period, freq, name. VALUE is decimal or 0x
 * hexadecimal, name's is text up to ',' or '/'. Returns how many specs were filled (1 to max), or
 * -EINVAL with error. Thread.
 */
int parse_events(const char *text, const struct event_sources *sources, struct event_spec *specs,
                 unsigned max, struct parse_error *error);

/* perf's names of hardware events, ended by a NULL name; which source serves them is for the
 * machine to say. The same of those software events that there are. */
extern const struct pmu_event_name parse_generic_events[], parse_software_events[];

/* The message for an unknown event. */
extern const char parse_unknown_event[];

/* Whether parse_events() takes the event at text, up to its modifiers, for one of its own names, a
 * raw one or SOURCE/…/. sources is a list, ended by NULL; NULL: perf's own
 * names only. An unknown name may be one of the CPU's own. Thread. */
bool parse_events_knows(const char *text, const struct pmu_source *const *sources);

/* A whole number, decimal or 0x hexadecimal, at *at; moves *at behind it. 0, or -EINVAL if
 * there is no digit, -ERANGE if it exceeds 64 bits. */
int parse_number(const char **at, uint64_t *value);

#endif
