/* SPDX-License-Identifier: MIT */
#include "host-tools/record/remote/remote_options.h"

#include <argp.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host-tools/record/command/guest_options.h"
#include "host-tools/util/arguments.h"
#include "host-tools/util/exit_status.h"

enum {
	KEY_FORCE = 256,
	KEY_IMAGE,
	KEY_FETCH,
};

#define OF_ALL CHANNEL_OPTIONS("give up after S seconds without a sign of life (10)")

static const struct argp_option short_options[] = {
	OF_ALL,
	{ "follow", 'f', NULL, 0, "`console': continue until Ctrl-C", 0 },
	{ "force", KEY_FORCE, NULL, 0, "`stop' by gdb: also if the machine masks interrupts", 0 },
	{ 0 },
};

static const struct argp_option record_options[] = {
	OF_ALL,
	OUTPUT_OPTIONS,
	{ "fetch", KEY_FETCH, "FILE[=LOCAL]", 0,
	  "copy this file of the program to the host; repeatable", 0 },
	{ "image", KEY_IMAGE, "FILE.efi", 0, "the image of the machine", 0 },
	{ "json", 'j', NULL, 0, "print the counts of `stat' as JSON", 0 },
	{ 0 },
};

static const struct argp_option top_options[] = {
	OF_ALL,
	OUTPUT_OPTIONS,
	{ "fetch", KEY_FETCH, "FILE[=LOCAL]", 0,
	  "copy this file of the program to the host; repeatable", 0 },
	{ "image", KEY_IMAGE, "FILE.efi", 0, "the image of the machine", 0 },
	TOP_OPTIONS,
	{ 0 },
};

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct remote_options *options = state->input;

	switch (key) {
	case KEY_FORCE:
		options->force = true;
		return 0;
	case 'f':
		options->follow = true;
		return 0;
	case KEY_FETCH:
		options->guest.fetch[options->guest.fetch_count++] = arg;
		return 0;
	case KEY_IMAGE:
		options->image = arg;
		return 0;
	case 'j':
		options->json = true;
		return 0;
	case ARGP_KEY_END:
		if (!options->channel.url)
			argp_error(
			    state,
			    "--channel URL is missing: it names the machine (`bareperf run' boots one)");
		return 0;
	default:
		if (!channel_option_parse(key, arg, state, &options->channel) ||
		    !top_option_parse(key, arg, state, &options->top))
			return 0;
		return output_option_parse(key, arg, state, &options->output);
	}
}

/* Sort the words: bareperf's options go to own, behind its first word; the machine's words, in
 * their order, to words. All words behind "--" are the machine's. Returns the number of words in
 * own. */
static int divide(struct guest *guest, const struct argp_option *ours, int argc, char **argv,
                  char **own)
{
	int owned = 1, i = 1;

	guest->words[guest->count++] = argv[0];
	while (i < argc && strcmp(argv[i], "--") != 0) {
		int words = guest_option_words(ours, argv + i);

		if (!words)
			guest->words[guest->count++] = argv[i++];
		for (; words && i < argc; words--)
			own[owned++] = argv[i++];
	}
	while (i < argc)
		guest->words[guest->count++] = argv[i++];
	return owned;
}

/* Each subcommand gets its own text: argp's has a part before the options and one behind them. */
static char *text_of(const char *what, const char *more)
{
	char *text;

	if (asprintf(&text, "%s%s", what, more) < 0)
		exit(RUN_ERROR);
	return text;
}

static _Noreturn void refuse(const char *what)
{
	say("%s", what);
	exit(RUN_REFUSED);
}

void remote_options_parse(struct remote_options *options, const struct remote_usage *usage,
                          int argc, char **argv)
{
	const char *name = text_of("bareperf ", usage->name);
	char **words = calloc(3 * (size_t)argc + 2, sizeof(*words)); /* never freed */
	struct argp argp = {
		.options = usage->shows     ? top_options
		           : usage->records ? record_options
		                            : short_options,
		.parser = parse_option,
		.args_doc = text_of("--channel URL ", usage->args),
		.doc = text_of(usage->doc, "\vExit status: as of `bareperf run' (see its --help)."),
	};
	const char *wrong;
	int owned = argc;

	*options = (struct remote_options){ .channel.timeout = 10, .top = TOP_DEFAULTS };
	options->stat = !strcmp(usage->name, "stat");
	options->top.wanted = usage->shows;
	if (!words)
		exit(RUN_ERROR);
	options->guest.words = words + argc + 1;
	options->guest.fetch = words + 2 * argc + 2;
	if (usage->has_command)
		owned = divide(&options->guest, argp.options, argc, argv, words);
	else
		memcpy(words, argv, (size_t)argc * sizeof(*words));
	arguments_parse_as(&argp, owned, words, name, usage->has_command ? 0 : ARGP_IN_ORDER,
	                   RUN_REFUSED, options);
	if (options->json && !options->stat)
		refuse("--json works only with `stat'");
	wrong = top_options_check(&options->top, &options->output);
	if (wrong)
		refuse(wrong);
	output_options_end(&options->output, options->stat || options->top.wanted);
}
