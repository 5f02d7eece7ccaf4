/* SPDX-License-Identifier: MIT */
#include "boot/command.h"

#include <errno.h>
#include <string.h>

#include "pmu/throttle.h"

#define DEFAULT_PAGES     128U /* 512 KiB, perf's default */
#define DEFAULT_FREQUENCY 4000U

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

/* at points into the command's words, which are the text cut in place: its column is the same. */
static int fail(struct words *w, const char *what, const char *at)
{
	w->error->what = what;
	w->error->column = (unsigned)(at - w->command->words);
	return -EINVAL;
}

static int number(struct words *w, const char *text, uint64_t least, uint64_t most, uint64_t *value)
{
	const char *end = text;

	if (parse_number(&end, value) || (*end && !strchr("KMG", *end)))
		return fail(w, "not a whole number of 64 bits", text);
	if (*end) {
		unsigned shift = *end == 'K' ? 10 : *end == 'M' ? 20 : 30;

		if (end[1])
			return fail(w, "unexpected text after the number", end + 1);
		if (*value << shift >> shift != *value)
			return fail(w, "number is too large", text);
		*value <<= shift;
	}
	if (*value < least)
		return fail(w, "number is too small", text);
	if (*value > most)
		return fail(w, "number is too large", text);
	return 0;
}

/* ---- Options ---- */

static int set_events(struct words *w, const char *text)
{
	struct command *c = w->command;
	struct parse_error error;
	int n = parse_events(text, w->sources, c->events + c->nr_events,
	                     COMMAND_MAX_EVENTS - c->nr_events, &error);

	if (n < 0)
		return fail(w, error.what, error.at);
	c->nr_events += (unsigned)n;
	return 0;
}

static int set_period(struct words *w, const char *text)
{
	if (w->command->has_freq)
		return fail(w, "-c and -F exclude each other", text);
	w->command->has_period = true;
	return number(w, text, 1, INT64_MAX, &w->command->period_or_freq);
}

static int set_freq(struct words *w, const char *text)
{
	if (w->command->has_period)
		return fail(w, "-c and -F exclude each other", text);
	w->command->has_freq = true;
	return number(w, text, 1, 1000000, &w->command->period_or_freq);
}

static int set_callchain(struct words *w, const char *text)
{
	(void)text;
	w->command->callchain = true;
	return 0;
}

static int set_call_graph(struct words *w, const char *text)
{
	if (strcmp(text, "fp"))
		return fail(w, "only fp (frame pointers) is known", text);
	w->command->callchain = true;
	return 0;
}

static int set_all_cpus(struct words *w, const char *text)
{
	(void)text;
	w->command->all_cpus = true;
	return 0;
}

static void select_cpus(struct command *c, uint64_t first, uint64_t last)
{
	for (uint64_t cpu = first; cpu <= last; cpu++)
		c->cpus[cpu / 64] |= 1ULL << cpu % 64;
}

static int set_cpus(struct words *w, const char *text)
{
	for (;;) {
		const char *start = text;
		uint64_t first, last;

		if (parse_number(&text, &first))
			return fail(w, "not a list of CPUs (0,2-3)", start);
		last = first;
		if (*text == '-') {
			text++;
			if (parse_number(&text, &last))
				return fail(w, "not a list of CPUs (0,2-3)", start);
		}
		if (last < first || last >= TR_MAX_CPUS)
			return fail(w, "no such CPU", start);
		select_cpus(w->command, first, last);
		if (!*text)
			return 0;
		if (*text++ != ',')
			return fail(w, "not a list of CPUs (0,2-3)", start);
	}
}

static int number_of_pages(struct words *w, const char *text, uint64_t *pages)
{
	int error = number(w, text, 1, 1U << 20, pages);

	if (!error && *pages & (*pages - 1))
		return fail(w, "must be a power of two", text);
	return error;
}

static int set_pages(struct words *w, const char *text)
{
	struct command *c = w->command;
	const char *comma = strchr(text, ',');
	int error;

	if (!comma)
		return number_of_pages(w, text, &c->pages);
	c->words[comma - c->words] = '\0';
	error = comma == text ? 0 : number_of_pages(w, text, &c->pages);
	return error ? error : number_of_pages(w, comma + 1, &c->aux_pages);
}

static int set_aux_watermark(struct words *w, const char *text)
{
	uint64_t value;
	int error = number(w, text, 1, UINT32_MAX, &value);

	w->command->aux_watermark = (uint32_t)value;
	return error;
}

static int set_snapshot(struct words *w, const char *text)
{
	(void)text;
	w->command->snapshot = true;
	return 0;
}

static int set_wakeup_events(struct words *w, const char *text)
{
	uint64_t value;
	int error = number(w, text, 1, UINT32_MAX, &value);

	w->command->wakeup_events = (uint32_t)value;
	return error;
}

static int set_watermark(struct words *w, const char *text)
{
	uint64_t value;
	int error = number(w, text, 8, UINT32_MAX, &value);

	w->command->wakeup_watermark = (uint32_t)value;
	return error;
}

static int set_then(struct words *w, const char *text)
{
	static const struct {
		const char *name;
		enum command_then then;
	} choices[] = {
		{ "poweroff", THEN_POWEROFF },
		{ "reboot", THEN_REBOOT },
		{ "wait", THEN_WAIT },
	};

	for (unsigned i = 0; i < sizeof(choices) / sizeof(choices[0]); i++) {
		if (!strcmp(choices[i].name, text)) {
			w->command->then = choices[i].then;
			return 0;
		}
	}
	return fail(w, "poweroff, reboot or wait", text);
}

static int set_max_sample_rate(struct words *w, const char *text)
{
	return number(w, text, 0, UINT32_MAX, &w->command->max_sample_rate);
}

/* The only mode there is. */
static int set_exclusive(struct words *w, const char *text)
{
	(void)w;
	(void)text;
	return 0;
}

static const struct option record_options[] = {
	{ "-e", "--event", "LIST",
	  "events: names, rHEX, SOURCE/TERM=VALUE/ (cycles, else cpu-clock)", set_events },
	{ "-c", "--count", "PERIOD", "a sample every PERIOD events (cpu-clock: ns)", set_period },
	{ "-F", "--freq", "HZ", "samples a second (4000)", set_freq },
	{ "-g", NULL, NULL, "callchains by frame pointers", set_callchain },
	{ "--call-graph", NULL, "fp", "the same", set_call_graph },
	{ "-C", "--cpu", "LIST", "CPUs, as 0,2-3 (0)", set_cpus },
	{ "-a", "--all-cpus", NULL, "all CPUs", set_all_cpus },
	{ "-m", "--mmap-pages", "[PAGES][,AUX]",
	  "size of a CPU's ring and AUX area in pages of 4 KiB (128,1024)", set_pages },
	{ "--wakeup-events", NULL, "N", "wake the reader every N samples", set_wakeup_events },
	{ "--watermark", NULL, "BYTES", "wake the reader every BYTES (half of the ring)",
	  set_watermark },
	{ "--max-sample-rate", NULL, "HZ",
	  "an event with more samples pauses to the next tick (100000; 0: never)",
	  set_max_sample_rate },
	{ "--aux-watermark", NULL, "BYTES", "the same for the AUX area (half of it)",
	  set_aux_watermark },
	{ "-S", "--snapshot", NULL, "keep the AUX area's newest, told when asked for or at the end",
	  set_snapshot },
	{ NULL, NULL, NULL, NULL, NULL },
};

/* For every command, anywhere before "--". */
static const struct option common_options[] = {
	{ "--then", NULL, "WHAT", "afterwards poweroff, reboot or wait for commands", set_then },
	{ "--exclusive", NULL, NULL, "leave boot services for good (the default)", set_exclusive },
	{ NULL, NULL, NULL, NULL, NULL },
};

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

/* -m,64: the option of one letter whose argument follows in the same word. */
static const struct option *find_attached(const char *word)
{
	const struct option *option;
	char letter[3];

	if (word[0] != '-' || word[1] == '-' || !word[1] || !word[2])
		return NULL;
	memcpy(letter, word, 2);
	letter[2] = '\0';
	option = find_option(record_options, letter);
	return option && option->argument ? option : NULL;
}

static int parse_option(struct words *w)
{
	char *word = w->word[w->next++];
	const struct option *option = find_option(common_options, word);

	if (!option && w->command->verb == COMMAND_RECORD)
		option = find_option(record_options, word);
	if (!option && w->command->verb == COMMAND_RECORD && find_attached(word))
		return find_attached(word)->set(w, word + 2);
	if (!option)
		return fail(w, "unknown option", word);
	if (!option->argument)
		return option->set(w, NULL);
	if (w->next == w->count)
		return fail(w, "this option needs an argument", word);
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
		return fail(w, "a workload is missing: record -- WORKLOAD", w->word[w->count - 1]);
	c->workload = workload_find(name);
	if (!c->workload)
		return fail(w, "unknown workload (help lists them)", name);
	if (c->workload->run_program) {
		take_program(w);
		return 0;
	}
	c->argument = c->workload->standard;
	if (w->next < w->count) {
		int error = number(w, w->word[w->next], c->workload->least, c->workload->most,
		                   &c->argument);

		if (error)
			return error;
		w->next++;
	}
	return w->next < w->count ? fail(w, "one argument too many", w->word[w->next]) : 0;
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
		{ "record", COMMAND_RECORD },
	};

	for (unsigned i = 0; i < sizeof(verbs) / sizeof(verbs[0]); i++) {
		if (!strcmp(verbs[i].name, w->word[0])) {
			w->command->verb = verbs[i].verb;
			w->next = 1;
			return 0;
		}
	}
	return fail(w, "unknown command: record, list, version or help", w->word[0]);
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
	if (w->command->verb == COMMAND_RECORD)
		return parse_workload(w);
	return w->next < w->count ? fail(w, "unexpected argument", w->word[w->next]) : 0;
}

static int split(struct words *w)
{
	char *at = w->command->words;

	for (;;) {
		while (*at == ' ' || *at == '\t')
			at++;
		if (!*at)
			return w->count ? 0 : fail(w, "a command is missing", at);
		if (w->count == COMMAND_MAX_WORDS)
			return fail(w, "too many words", at);
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
		return fail(&w, "the command line is longer than 1023 characters", command->words);
	memcpy(command->words, text, length + 1);
	failed = split(&w);
	if (!failed)
		failed = parse_words(&w);
	if (!failed && !command->has_period && !command->has_freq) {
		command->has_freq = true;
		command->period_or_freq = DEFAULT_FREQUENCY;
	}
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
	    "       list | version | help\n\nrecord:\n");
	print_options(record_options, print);
	print("\nevery command:\n");
	print_options(common_options, print);
	print("\nworkloads:\n");
	for (const struct workload *const *w = workloads; *w; w++)
		print("  %s %s\n      %s\n", (*w)->name, (*w)->arguments, (*w)->description);
}
