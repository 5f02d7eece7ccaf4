/* SPDX-License-Identifier: MIT */
/* Between the halves of the command line's parser: command.c walks along the words,
 * split.c has cut them, options.c knows the options. */
#ifndef COMMAND_WORDS_H
#define COMMAND_WORDS_H

#include "command/command.h"
#include "pmu/parse/suggest.h"

/* A walk along the words of a command line. */
struct words {
	struct command *command;
	const struct command_tables *tables;
	char *word[COMMAND_MAX_WORDS];
	unsigned count, next;
	struct {
		const struct command_option *option;
		const char *at; /* the word */
	} given[COMMAND_MAX_WORDS];
	unsigned nr_given;
	struct command_error *error;
};

/* Options of `record`, of `stat`, of `selftest`, of `save`, and of every command; each ends with a
 * NULL name. */
extern const struct command_option record_options[], stat_options[], selftest_options[],
    save_options[], common_options[];

/* The command line is wrong. at points into the command's words, which are the text cut in place:
 * its column is the same. Returns -EINVAL. */
int command_fail(struct words *w, const char *what, const char *at);

/* The same of a name that nobody has, with the nearest of those that were offered. */
int command_unknown(struct words *w, const char *what, const struct suggestion *suggestion);

/* Cut the command's text into words, as a shell does; there is one at least. 0, or
 * command_fail()'s. */
int command_split(struct words *w);

/* Refuse what is understood and means nothing: options that exclude each other, or that nothing in
 * the command heeds. All options have been read. 0, or command_fail()'s. */
int command_check(struct words *w);

/* Whether that is what a command calls this workload. */
bool command_names_workload(const struct workload_usage *usage, const char *word);

/* A number from least to most, with K, M or G behind it if need be. 0, or command_fail()'s. */
int command_number(struct words *w, const char *text, uint64_t least, uint64_t most,
                   uint64_t *value);

/* --until's argument, a list. 0, or command_fail()'s. */
int command_set_until(struct words *w, const char *text);

/* Parses a built-in workload's argument: a number, with decimals if the workload has a unit. 0, or
 * command_fail()'s. */
int command_amount(struct words *w, const char *text, const struct workload_usage *usage,
                   uint64_t *value);

#endif
