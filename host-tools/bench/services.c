/* SPDX-License-Identifier: MIT */
#include "host-tools/bench/services.h"

#include <argp.h>
#include <stdlib.h>
#include <string.h>

#include "host-tools/bench/machine_options.h"
#include "host-tools/record/qemu/run.h"
#include "host-tools/util/arguments.h"
#include "host-tools/util/exit_status.h"

#define WORDS 24 /* words of `run` that are no options of QEMU's */

#define CHANNEL_REFUSED                                                                       \
	"--uefi: a machine behind a channel has left its firmware: boot it with the command " \
	"`bench --uefi'"

enum { KEY_UEFI = 256, KEY_CALLS, KEY_CONSOLE, KEY_JSON };

/* The machine's own command checks the values. */
struct services_options {
	struct machine_options machine;
	const char *calls; /* NULL: not given */
	bool console, json;
};

static const struct argp_option argp_options[] = {
	{ "uefi", KEY_UEFI, NULL, 0, "measure the firmware's services", 0 },
	{ "calls", KEY_CALLS, "N", 0, "calls of each service (1000)", 0 },
	{ "console", KEY_CONSOLE, NULL, 0, "measure the firmware's console too", 0 },
	{ "json", KEY_JSON, NULL, 0, "print one JSON object", 0 },
	{ 0 },
};

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct services_options *options = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &options->machine;
		return 0;
	case KEY_UEFI:
		return 0;
	case KEY_CALLS:
		options->calls = arg;
		return 0;
	case KEY_CONSOLE:
		options->console = true;
		return 0;
	case KEY_JSON:
		options->json = true;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_child argp_children[] = { { &machine_argp, 0, NULL, 0 }, { 0 } };

static const struct argp argp = {
	.options = argp_options,
	.parser = parse_option,
	.children = argp_children,
	.args_doc = "[-- QEMU OPTIONS...]",
	.doc =
	    "Measure the boot and runtime services of a machine's firmware in QEMU: time, and "
	    "instructions if the CPU counts them. `bareperf diff' compares two reports of "
	    "--json.\vExit status: 125 error, 126 wrong usage.",
};

bool services_are_meant(int argc, char **argv)
{
	for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
		if (!strcmp(argv[i], "--uefi"))
			return true;
	}
	return false;
}

/* The words of `run`, which grow at the end. */
struct run_words {
	char **words;
	int count;
};

static void add(struct run_words *run, const char *word)
{
	run->words[run->count++] = (char *)(uintptr_t)word;
}

static void add_option(struct run_words *run, const char *name, const char *value)
{
	if (!value)
		return;
	add(run, name);
	add(run, value);
}

static void make_words(struct run_words *run, const struct services_options *options)
{
	const struct machine_options *machine = &options->machine;

	add(run, "run");
	add_option(run, "--arch", machine->arch);
	add_option(run, "--image", machine->image);
	add_option(run, "--qemu", machine->qemu);
	add_option(run, "--firmware", machine->firmware);
	for (int i = 0; i < machine->qemu_option_count; i++)
		add(run, machine->qemu_options[i]);
	add(run, "--");
	add(run, "bench");
	add(run, "--uefi");
	add_option(run, "--calls", options->calls);
	if (options->console)
		add(run, "--console");
	if (options->json)
		add(run, "--json");
}

int command_services(int argc, char **argv)
{
	struct services_options options = { .calls = NULL };
	int words = machine_options_divide(&options.machine, argc, argv), status = RUN_ERROR;
	struct run_words run = { calloc((size_t)argc + WORDS, sizeof(*run.words)), 0 };

	arguments_parse_as(&argp, words, argv, "bareperf bench", 0, RUN_REFUSED, &options);
	if (options.machine.channel.url)
		machine_options_refuse("bareperf bench", CHANNEL_REFUSED);
	if (run.words) {
		make_words(&run, &options);
		status = command_run(run.count, run.words);
	} else {
		say("no memory for the words of a command");
	}
	free(run.words);
	return status;
}
