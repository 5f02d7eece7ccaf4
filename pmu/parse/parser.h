/* SPDX-License-Identifier: MIT */
/* The parser of events between its parts: groups.c knows lists, groups and modifiers,
 * events.c names, terms.c what stands between slashes. Thread. */
#ifndef PMU_PARSE_PARSER_H
#define PMU_PARSE_PARSER_H

#include "pmu/parse/events.h"
#include "pmu/parse/suggest.h"

struct parser {
	const char *at;
	const struct event_sources *sources;
	struct event_spec *spec;
	struct parse_error *error;
};

/* Note what is wrong, and where; returns -EINVAL. */
int parser_fail(struct parser *p, const char *what, const char *at);

/* The same of a name that nobody has, with the nearest of those that were offered. */
int parser_unknown(struct parser *p, const char *what, const struct suggestion *suggestion);

/* The value of a digit, up to 15; 16: it is none. */
int parser_digit(char c);

/* Digits of base 10 or 16 at *at; moves it behind them. 0, -EINVAL: none, -ERANGE: 64 bits do not
 * hold them. */
int parser_digits(const char **at, int base, uint64_t *value);

/* Length of the name at text: to the end, or to what may follow a name; and whether it is name. */
size_t parser_name_length(const char *text);
bool parser_named(const char *name, const char *text, size_t length);

/* The bits of one of attr's config words that the source has terms for. */
uint64_t parser_known_bits(const struct pmu_source *source, unsigned word);

/* One event with its modifiers, into p->spec. */
int parser_event(struct parser *p);

/* Parses the modifiers behind an event or a group, from the colon to ',', '}' or the end. */
int parser_modifiers(struct parser *p, struct event_spec *specs, unsigned count);

/* SOURCE/TERM[=VALUE],.../ with p->at behind the first slash. */
int parser_terms(struct parser *p, const struct pmu_source *source);

#endif
