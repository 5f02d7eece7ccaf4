/* SPDX-License-Identifier: MIT */
#include "command/command.h"

#include <errno.h>
#include <string.h>

#include "command/words.h"

#define DEFAULT_FREQUENCY 4000U /* perf's */

/* As in COMMAND_BOOT. A boot takes minutes and often halts; counters of cycles do not count halted
 * time. */
#define BOOT_EVENT     "cpu-clock"
#define BOOT_FREQUENCY 1000U

int command_fail(struct words *w, const char *what, const char *at)
{
	*w->error = (struct command_error){
		.what = what,
		.column = (unsigned)(at - w->command->words),
	};
	return -EINVAL;
}

int command_unknown(struct words *w, const char *what, const struct suggestion *suggestion)
{
	command_fail(w, what, suggestion->word);
	w->error->meant = suggestion->meant;
	return -EINVAL;
}

/* ---- Words ---- */

static const struct {
	const char *name;
	enum command_verb verb;
	const struct command_option *options; /* the verb's own options; NULL: none */
	bool has_workload;
} verbs[] = {
	{ "record", COMMAND_RECORD, record_options, true },
	{ "stat", COMMAND_STAT, stat_options, true },
	{ "selftest", COMMAND_SELFTEST, selftest_options, false },
	{ "noise", COMMAND_NOISE, noise_options, false },
	{ "recover", COMMAND_RECOVER, NULL, false },
	{ "register", COMMAND_REGISTER, NULL, false },
	{ "unregister", COMMAND_UNREGISTER, NULL, false },
	{ "list", COMMAND_LIST, NULL, false },
	{ "save", COMMAND_SAVE, save_options, false },
	{ "stop", COMMAND_STOP, NULL, false },
	{ "slower", COMMAND_SLOWER, NULL, false },
	{ "bench", COMMAND_BENCH, bench_options, false },
	{ "version", COMMAND_VERSION, NULL, false },
	{ "--version", COMMAND_VERSION, NULL, false },
	{ "help", COMMAND_HELP, NULL, false },
	{ "--help", COMMAND_HELP, NULL, false },
	{ "-h", COMMAND_HELP, NULL, false },
};
#define VERBS (sizeof(verbs) / sizeof(verbs[0]))

static bool command_takes_workload(const char *verb)
{
	bool takes = false;

	for (unsigned i = 0; i < VERBS; i++)
		takes = takes || (verbs[i].has_workload && !strcmp(verbs[i].name, verb));
	return takes;
}

static const struct command_option *command_own_options(const char *verb)
{
	for (unsigned i = 0; i < VERBS; i++) {
		if (!strcmp(verbs[i].name, verb))
			return verbs[i].options;
	}
	return NULL;
}

bool command_is_named(const char *text)
{
	size_t length = strcspn(text, " \t");

	for (unsigned i = 0; i < VERBS; i++) {
		if (strlen(verbs[i].name) == length && !strncmp(verbs[i].name, text, length))
			return true;
	}
	return false;
}

bool command_is_meant(const char *text)
{
	size_t length = strcspn(text, " \t");
	struct suggestion near = suggestion_for(text, length);

	for (unsigned i = 0; i < VERBS; i++)
		suggestion_offer(&near, verbs[i].name);
	return command_is_named(text) || (near.meant && near.distance <= (length + 1) / 4);
}

/* Reports whether word is this option. If the argument is in the same word, as in -m,64 and
 * --event=LIST, *argument is set to it. */
static bool command_is_option(const struct command_option *option, const char *word,
                              const char **argument)
{
	const char *names[] = { option->name, option->alias };

	for (unsigned i = 0; i < 2 && names[i]; i++) {
		size_t length = strlen(names[i]);

		*argument = NULL;
		if (strncmp(names[i], word, length) != 0)
			continue;
		if (!word[length])
			return true;
		*argument = word + length + (length > 2);
		if (option->argument && (length == 2 || word[length] == '='))
			return true;
	}
	return false;
}

static const struct command_option *command_find_option(const struct command_option *own,
                                                        const char *word, const char **argument)
{
	const struct command_option *lists[] = { common_options, own };

	for (unsigned i = 0; i < 2; i++) {
		for (const struct command_option *o = lists[i]; o && o->name; o++) {
			if (command_is_option(o, word, argument))
				return o;
		}
	}
	return NULL;
}

static int command_unknown_option(struct words *w, const struct command_option *own,
                                  const char *word)
{
	struct suggestion near = suggestion_for(word, strcspn(word, "="));
	const struct command_option *lists[] = { own, common_options };

	for (unsigned i = 0; i < 2; i++) {
		for (const struct command_option *o = lists[i]; o && o->name; o++) {
			suggestion_offer(&near, o->name);
			if (o->alias)
				suggestion_offer(&near, o->alias);
		}
	}
	return command_unknown(w, "unknown option", &near);
}

static int command_parse_option(struct words *w)
{
	const struct command_option *own = command_own_options(w->word[0]);
	const char *word = w->word[w->next++], *argument;
	const struct command_option *option = command_find_option(own, word, &argument);

	if (!option)
		return command_unknown_option(w, own, word);
	w->given[w->nr_given].option = option;
	w->given[w->nr_given++].at = word;
	if (!option->argument || argument)
		return option->set(w, argument);
	if (w->next == w->count)
		return command_fail(w, "this option needs an argument", word);
	return option->set(w, w->word[w->next++]);
}

unsigned command_own_words(const char *const *words, unsigned count)
{
	unsigned i = count ? 1 : 0;

	while (i < count && words[i][0] == '-' && strcmp(words[i], "--") != 0) {
		const char *argument;
		const struct command_option *option =
		    command_find_option(command_own_options(words[0]), words[i], &argument);

		i += option && option->argument && !argument ? 2 : 1;
	}
	return i < count ? i : count;
}

/* Parses the workload's name and all words after it. */
static void command_take_program(struct words *w)
{
	struct command *c = w->command;

	for (unsigned i = w->next - 1; i < w->count; i++)
		c->argv[c->argc++] = w->word[i];
}

static int command_unknown_workload(struct words *w, const char *name)
{
	struct suggestion near = suggestion_for(name, strlen(name));

	for (const struct workload_usage *const *i = w->tables->workloads; *i; i++)
		suggestion_offer(&near, (*i)->name);
	return command_unknown(w, "unknown workload (help lists them)", &near);
}

/* Parses a built-in workload's number. */
static int command_parse_argument(struct words *w)
{
	struct command *c = w->command;
	const char *word;
	int code;

	c->argument = c->workload->standard;
	if (w->next == w->count)
		return 0;
	word = w->word[w->next++];
	if (*word == '-')
		return command_fail(w, "options go before the workload", word);
	code = command_amount(w, word, c->workload, &c->argument);
	if (!code && w->next < w->count)
		code = command_fail(w, "one argument too many", w->word[w->next]);
	return code;
}

static int command_parse_workload(struct words *w)
{
	struct command *c = w->command;
	const char *name = w->next < w->count ? w->word[w->next++] : NULL;

	if (c->boot && name)
		return command_fail(w, "with --boot the firmware is the workload", name);
	name = c->boot ? BOOT_WORKLOAD : name;
	if (!name)
		return command_fail(w, "a workload is missing behind --", w->word[w->count - 1]);
	for (const struct workload_usage *const *i = w->tables->workloads; *i && !c->workload; i++)
		c->workload = command_names_workload(*i, name) ? *i : NULL;
	if (!c->workload)
		return command_unknown_workload(w, name);
	if (!c->workload->takes_words && c->nr_fetch)
		return command_fail(w, "a built-in workload has no files to --fetch", name);
	if (!c->workload->takes_words)
		return command_parse_argument(w);
	command_take_program(w);
	return 0;
}

static int command_parse_verb(struct words *w)
{
	struct suggestion near = suggestion_for(w->word[0], strlen(w->word[0]));

	for (unsigned i = 0; i < VERBS; i++) {
		if (!strcmp(verbs[i].name, w->word[0])) {
			w->command->verb = verbs[i].verb;
			w->next = 1;
			return 0;
		}
		suggestion_offer(&near, verbs[i].name);
	}
	return command_unknown(
	    w,
	    "unknown command: record, stat, stop, slower, save, list, recover, register, unregister, "
	    "selftest, noise, version or help",
	    &near);
}

static int command_parse_factor(struct words *w)
{
	if (w->next == w->count)
		return command_fail(w, "how many times as seldom?", w->word[0]);
	return command_number(w, w->word[w->next++], 1, TR_SLOWEST, &w->command->argument);
}

/* Gives a boot without -e its default event, with call chains. A boot mostly waits, and the call
 * chains show which code waits. */
static void command_take_boot_event(struct words *w)
{
	struct command *c = w->command;
	struct parse_error error;

	if (!c->boot || c->nr_events ||
	    parse_events(BOOT_EVENT, &w->tables->sources, c->events, 1, &error) != 1)
		return;
	c->nr_events = 1;
	c->callchain = true;
}

static int command_parse_one(struct words *w)
{
	int code = command_parse_verb(w);

	while (!code && w->next < w->count) {
		if (!strcmp(w->word[w->next], "--")) {
			w->next++;
			break;
		}
		if (w->word[w->next][0] != '-')
			break;
		code = command_parse_option(w);
	}
	if (!code)
		command_take_boot_event(w);
	if (!code)
		code = command_check(w);
	if (code)
		return code;
	if (command_takes_workload(w->word[0]))
		return command_parse_workload(w);
	if (w->command->verb == COMMAND_SLOWER)
		code = command_parse_factor(w);
	if (w->command->verb == COMMAND_BENCH)
		code = command_parse_bench(w);
	if (code)
		return code;
	return w->next < w->count ? command_fail(w, "unexpected argument", w->word[w->next]) : 0;
}

static int command_parse_registered_one(struct words *w)
{
	const struct command *c = w->command;
	int code = command_parse_one(w);

	if (!code && !c->boot)
		code = command_fail(w, "only record --boot can be registered", w->word[0]);
	if (!code && c->output && strchr(c->output, ':'))
		code = command_fail(w,
		                    "volumes have names in the firmware's shell, which does not "
		                    "run then",
		                    c->output);
	return code;
}

/* The remaining words are the registered command; without them the default command is registered.
 */
static int command_parse_registered(struct words *w)
{
	struct command *c = w->command;
	unsigned at = 0;
	int code;

	if (w->count == 1) {
		memcpy(c->words, COMMAND_BOOT, sizeof(COMMAND_BOOT));
		w->count = 0;
		command_split(w);
	} else {
		w->count--;
		memmove(w->word, w->word + 1, w->count * sizeof(*w->word));
		at = (unsigned)(w->word[0] - c->words);
	}
	code = command_parse_registered_one(w);
	c->registered = at;
	c->verb = COMMAND_REGISTER;
	return code;
}

static int command_parse_words(struct words *w)
{
	return strcmp(w->word[0], "register") == 0 ? command_parse_registered(w)
	                                           : command_parse_one(w);
}

int command_parse(struct command *command, const char *text, const struct command_tables *tables,
                  struct command_error *error)
{
	struct words w = { .command = command, .tables = tables, .error = error };
	size_t length = strlen(text);
	int failed;

	memset(command, 0, sizeof(*command));
	memset(error, 0, sizeof(*error));
	command->max_sample_rate = TR_SAMPLE_RATE;
	if (length > COMMAND_MAX_LENGTH)
		return command_fail(&w, "the command line is longer than 1023 characters",
		                    command->words);
	memcpy(command->words, text, length + 1);
	failed = command_split(&w);
	if (!failed)
		failed = command_parse_words(&w);
	if (command->verb == COMMAND_STAT)
		command->pages = 1; /* only the control page is used */
	if (!failed && !command->has_period && !command->has_freq)
		command->period_or_freq = command->boot ? BOOT_FREQUENCY : DEFAULT_FREQUENCY;
	return failed;
}
