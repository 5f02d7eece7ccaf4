/* SPDX-License-Identifier: MIT */
/* Between the halves of the command line's parser: command.c walks along the words,
 * options.c knows the options. */
#ifndef AGENT_PARSE_WORDS_H
#define AGENT_PARSE_WORDS_H

#include "agent/parse/command.h"

/* A walk along the words of a command line. */
struct words {
	struct command *command;
	const struct pmu *const *sources;
	char *word[COMMAND_MAX_WORDS];
	unsigned count, next;
	struct command_error *error;
};

struct option {
	const char *name, *alias;
	const char *argument; /* NULL: takes none */
	const char *help;
	int (*set)(struct words *w, const char *argument);
};

/* Options of `record`, of `stat`, and of every command; each ends with a NULL name. */
extern const struct option record_options[], stat_options[], common_options[];

/* The command line is wrong. at points into the command's words, which are the text cut in place:
 * its column is the same. Returns -EINVAL. */
int command_fail(struct words *w, const char *what, const char *at);

/* A number from least to most, with K, M or G behind it if need be. 0, or command_fail()'s. */
int command_number(struct words *w, const char *text, uint64_t least, uint64_t most,
                   uint64_t *value);

#endif
