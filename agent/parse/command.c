/* SPDX-License-Identifier: MIT */
#include "agent/parse/command.h"

#include <errno.h>
#include <string.h>

#include "agent/parse/words.h"
#include "pmu/throttle.h"

#define DEFAULT_PAGES     128U /* 512 KiB, perf's default */
#define DEFAULT_FREQUENCY 4000U

int command_fail(struct words *w, const char *what, const char *at)
{
	w->error->what = what;
	w->error->column = (unsigned)(at - w->command->words);
	return -EINVAL;
}

int command_number(struct words *w, const char *text, uint64_t least, uint64_t most,
                   uint64_t *value)
{
	const char *end = text;

	if (parse_number(&end, value) || (*end && !strchr("KMG", *end)))
		return command_fail(w, "not a whole number of 64 bits", text);
	if (*end) {
		unsigned shift = *end == 'K' ? 10 : *end == 'M' ? 20 : 30;

		if (end[1])
			return command_fail(w, "unexpected text after the number", end + 1);
		if (*value << shift >> shift != *value)
			return command_fail(w, "number is too large", text);
		*value <<= shift;
	}
	if (*value < least)
		return command_fail(w, "number is too small", text);
	if (*value > most)
		return command_fail(w, "number is too large", text);
	return 0;
}

/* ---- Words ---- */

static const struct option *find_option(const struct option *options, const char *name)
{
	for (; options->name; options++) {
		if (!strcmp(options->name, name) ||
		    (options->alias && !strcmp(options->alias, name)))
			return options;
	}
	return NULL;
}

/* The verb's own, or NULL: it has none. */
static const struct option *own_options(const struct words *w)
{
	switch (w->command->verb) {
	case COMMAND_RECORD:
		return record_options;
	case COMMAND_STAT:
		return stat_options;
	default:
		return NULL;
	}
}

/* -m,64: the option of one letter whose argument follows in the same word. */
static const struct option *find_attached(const struct option *options, const char *word)
{
	const struct option *option;
	char letter[3];

	if (word[0] != '-' || word[1] == '-' || !word[1] || !word[2])
		return NULL;
	memcpy(letter, word, 2);
	letter[2] = '\0';
	option = find_option(options, letter);
	return option && option->argument ? option : NULL;
}

static int parse_option(struct words *w)
{
	char *word = w->word[w->next++];
	const struct option *option = find_option(common_options, word);
	const struct option *own = own_options(w);

	if (!option && own)
		option = find_option(own, word);
	if (!option && own && find_attached(own, word))
		return find_attached(own, word)->set(w, word + 2);
	if (!option)
		return command_fail(w, "unknown option", word);
	if (!option->argument)
		return option->set(w, NULL);
	if (w->next == w->count)
		return command_fail(w, "this option needs an argument", word);
	return option->set(w, w->word[w->next++]);
}

/* The workload's name and all that follows. */
static void take_program(struct words *w)
{
	struct command *c = w->command;

	for (unsigned i = w->next - 1; i < w->count; i++)
		c->argv[c->argc++] = w->word[i];
}

static int parse_workload(struct words *w)
{
	struct command *c = w->command;
	char *name = w->next < w->count ? w->word[w->next++] : NULL;

	if (!name)
		return command_fail(w, "a workload is missing behind --", w->word[w->count - 1]);
	c->workload = workload_find(name);
	if (!c->workload)
		return command_fail(w, "unknown workload (help lists them)", name);
	if (c->workload->run_program) {
		take_program(w);
		return 0;
	}
	c->argument = c->workload->standard;
	if (w->next < w->count) {
		int error = command_number(w, w->word[w->next], c->workload->least,
		                           c->workload->most, &c->argument);

		if (error)
			return error;
		w->next++;
	}
	return w->next < w->count ? command_fail(w, "one argument too many", w->word[w->next]) : 0;
}

static int parse_verb(struct words *w)
{
	static const struct {
		const char *name;
		enum command_verb verb;
	} verbs[] = {
		{ "help", COMMAND_HELP },       { "--help", COMMAND_HELP },
		{ "-h", COMMAND_HELP },         { "list", COMMAND_LIST },
		{ "version", COMMAND_VERSION }, { "--version", COMMAND_VERSION },
		{ "record", COMMAND_RECORD },   { "stat", COMMAND_STAT },
		{ "stop", COMMAND_STOP },
	};

	for (unsigned i = 0; i < sizeof(verbs) / sizeof(verbs[0]); i++) {
		if (!strcmp(verbs[i].name, w->word[0])) {
			w->command->verb = verbs[i].verb;
			w->next = 1;
			return 0;
		}
	}
	return command_fail(w, "unknown command: record, stat, stop, list, version or help",
	                    w->word[0]);
}

static int parse_words(struct words *w)
{
	int error = parse_verb(w);

	while (!error && w->next < w->count) {
		if (!strcmp(w->word[w->next], "--")) {
			w->next++;
			break;
		}
		if (w->word[w->next][0] != '-')
			break;
		error = parse_option(w);
	}
	if (error)
		return error;
	if (own_options(w))
		return parse_workload(w);
	return w->next < w->count ? command_fail(w, "unexpected argument", w->word[w->next]) : 0;
}

static int split(struct words *w)
{
	char *at = w->command->words;

	for (;;) {
		while (*at == ' ' || *at == '\t')
			at++;
		if (!*at)
			return w->count ? 0 : command_fail(w, "a command is missing", at);
		if (w->count == COMMAND_MAX_WORDS)
			return command_fail(w, "too many words", at);
		w->word[w->count++] = at;
		at += strcspn(at, " \t");
		if (*at)
			*at++ = '\0';
	}
}

int command_parse(struct command *command, const char *text, const struct pmu *const *sources,
                  struct command_error *error)
{
	struct words w = { .command = command, .sources = sources, .error = error };
	size_t length = strlen(text);
	int failed;

	memset(command, 0, sizeof(*command));
	command->pages = DEFAULT_PAGES;
	command->max_sample_rate = THROTTLE_RATE;
	if (length > COMMAND_MAX_LENGTH)
		return command_fail(&w, "the command line is longer than 1023 characters",
		                    command->words);
	memcpy(command->words, text, length + 1);
	failed = split(&w);
	if (!failed)
		failed = parse_words(&w);
	if (command->verb == COMMAND_STAT)
		command->pages = 1; /* for nothing but its control page */
	if (!failed && !command->has_period && !command->has_freq)
		command->period_or_freq = DEFAULT_FREQUENCY;
	return failed;
}

/* ---- Usage ---- */

static void print_options(const struct option *options, arch_print_fn print)
{
	for (; options->name; options++)
		print("  %s%s%s%s%s\n      %s\n", options->name, options->alias ? ", " : "",
		      options->alias ? options->alias : "", options->argument ? " " : "",
		      options->argument ? options->argument : "", options->help);
}

void command_print_usage(arch_print_fn print)
{
	print(
	    "usage: record [OPTIONS] -- WORKLOAD [ARGUMENT]\n"
	    "       stat [OPTIONS] -- WORKLOAD [ARGUMENT]\n"
	    "       stop | list | version | help\n\nrecord:\n");
	print_options(record_options, print);
	print("\nstat:\n");
	print_options(stat_options, print);
	print("\nevery command:\n");
	print_options(common_options, print);
	print("\nworkloads:\n");
	for (const struct workload *const *w = workloads; *w; w++)
		print("  %s %s\n      %s\n", (*w)->name, (*w)->arguments, (*w)->description);
}
