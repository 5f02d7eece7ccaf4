/* SPDX-License-Identifier: MIT */
/* The parts of the event parser: groups.c parses lists, groups and modifiers; events.c names;
 * terms.c the terms between slashes. Thread. */
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

/* Note the mistake and its place; returns -EINVAL. */
int parser_fail(struct parser *p, const char *what, const char *at);

/* Note an unknown name, with the most similar known one. */
int parser_unknown(struct parser *p, const char *what, const struct suggestion *suggestion);

/* The value of a digit, 0 to 15; 16: c is no digit. */
int parser_digit(char c);

/* Parse digits of base 10 or 16 at *at; moves it behind them. Returns 0; -EINVAL: no digit;
 * -ERANGE: more than 64 bits. */
int parser_digits(const char **at, int base, uint64_t *value);

/* The length of the name at text, which ends at the text's end or at a character that no name
 * has. */
size_t parser_name_length(const char *text);
bool parser_named(const char *name, const char *text, size_t length);

/* The bits of one of attr's config words that the source has terms for. */
uint64_t parser_known_bits(const struct pmu_source *source, unsigned word);

/* One event with its modifiers, into p->spec. */
int parser_event(struct parser *p);

/* Parse the modifiers behind an event or a group: from the colon to ',', '}' or the end. */
int parser_modifiers(struct parser *p, struct event_spec *specs, unsigned count);

/* SOURCE/TERM[=VALUE],.../ with p->at behind the first slash. */
int parser_terms(struct parser *p, const struct pmu_source *source);

#endif
