/* SPDX-License-Identifier: MIT */
/* Shared by the files of the command line's parser: split.c splits the text into words, command.c
 * walks the words, options.c handles the options. */
#ifndef COMMAND_WORDS_H
#define COMMAND_WORDS_H

#include "command/command.h"
#include "pmu/parse/suggest.h"

/* The position in the words of a command line. */
struct words {
	struct command *command;
	const struct command_tables *tables;
	char *word[COMMAND_MAX_WORDS];
	unsigned count, next;
	struct {
		const struct command_option *option;
		const char *at; /* the present word */
	} given[COMMAND_MAX_WORDS];
	unsigned nr_given;
	struct command_error *error;
};

/* Options of `record`, of `stat`, of `selftest`, of `noise`, of `bench`, of `save`, and of every
 * command; each ends with a NULL name. */
extern const struct command_option record_options[], stat_options[], selftest_options[],
    noise_options[], bench_options[], save_options[], common_options[];

/* Reports an error in the command line. at points into the command's words. The words are the text
 * itself, split in place, so at also gives the column. Returns -EINVAL. */
int command_fail(struct words *w, const char *what, const char *at);

/* The same for an unknown name; the error also names the most similar of the known names. */
int command_unknown(struct words *w, const char *what, const struct suggestion *suggestion);

/* Splits the command's text into words, as a shell does; there is at least one. 0, or
 * command_fail()'s result. */
int command_split(struct words *w);

/* Refuses options that parse but cannot work: options that exclude each other, or that nothing in
 * the command uses. Call after all options are read. 0, or command_fail()'s result. */
int command_check(struct words *w);

/* Reports whether a command uses this name for the workload. */
bool command_names_workload(const struct workload_usage *usage, const char *word);

/* Parses a number from least to most, with an optional K, M or G. 0, or command_fail()'s result. */
int command_number(struct words *w, const char *text, uint64_t least, uint64_t most,
                   uint64_t *value);

/* Parses the argument of --until, a list. 0, or command_fail()'s result. */
int command_set_until(struct words *w, const char *text);

/* Parses the words behind the options of `bench`. 0, or command_fail()'s result. */
int command_parse_bench(struct words *w);

/* -C: a list of CPUs. 0, or command_fail()'s result. */
int command_set_cpus(struct words *w, const char *text);

/* -b; -j with a list of filters; --call-graph lbr. 0, or command_fail()'s result. */
int command_set_branch_any(struct words *w, const char *text);
int command_set_branch_filter(struct words *w, const char *text);
int command_set_call_stack(struct words *w, const char *text);

/* -d, -W, --phys-data, -R. */
int command_set_data(struct words *w, const char *text);
int command_set_weight(struct words *w, const char *text);
int command_set_phys_data(struct words *w, const char *text);
int command_set_raw(struct words *w, const char *text);

/* Parses a built-in workload's argument: a number, with decimals if the workload has a unit. 0, or
 * command_fail()'s result. */
int command_amount(struct words *w, const char *text, const struct workload_usage *usage,
                   uint64_t *value);

#endif
