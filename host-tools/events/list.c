/* SPDX-License-Identifier: MIT */
/* `bareperf list`: the event names that CPU makers define. */
#include "host-tools/events/list.h"

#include <argp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "abi/machine.h"
#include "host-tools/events/event_names.h"
#include "host-tools/events/pfm.h"
#include "host-tools/util/arguments.h"
#include "host-tools/util/exit_status.h"

struct list_options {
	const char *pmu;
	const char *encode;
	const char *pattern;
};

static const struct argp_option argp_options[] = {
	{ "pmu", 'p', "PMU", 0, "list the events of this PMU, such as skl", 0 },
	{ "encode", 'e', "LIST", 0, "print these events in the image's form", 0 },
	{ 0 },
};

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct list_options *options = state->input;

	switch (key) {
	case 'p':
		options->pmu = arg;
		return 0;
	case 'e':
		options->encode = arg;
		return 0;
	case ARGP_KEY_ARG:
		if (options->pattern || !options->pmu)
			argp_error(state, "%s: one TEXT to look for, and --pmu before it", arg);
		options->pattern = arg;
		return 0;
	case ARGP_KEY_END:
		if (options->encode && !options->pmu)
			argp_error(state, "--encode needs --pmu: whose events are they?");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp argp = {
	.options = argp_options,
	.parser = parse_option,
	.args_doc = "\n--pmu PMU [TEXT]\n--pmu PMU --encode LIST\n--channel URL",
	.doc =
	    "Without options, list the CPUs whose event names are known. With --pmu, list a "
	    "CPU's event names (those that contain TEXT). With --encode, translate names for a "
	    "machine that is started without this tool.\vPMU::NAME in a command always means "
	    "that PMU's event; NAME alone means the machine's own CPU. `bareperf run -- list', "
	    "or --channel URL, shows the events that a machine can count.",
};

static void print_event(void *context, const char *name, const char *description)
{
	const struct list_options *options = context;

	if (options->pattern && !strcasestr(name, options->pattern) &&
	    !strcasestr(description, options->pattern))
		return;
	printf("%s\n        %s\n", name, description);
}

static int print_tables(void)
{
	struct pfm_table table;

	for (unsigned i = 0; pfm_table(i, &table); i++)
		printf("%-24s %s, %u events\n", table.pmu, table.description, table.events);
	return 0;
}

static int print_encoded(const struct list_options *options, struct error *error)
{
	struct event_cpu cpu = {
		.machine = strncmp(options->pmu, "arm_", 4) ? EM_X86_64 : EM_AARCH64,
		.vendor = "",
		.pmu = options->pmu,
	};
	struct blob text = { 0 };
	int code = event_names_resolve(&text, options->encode, NULL, &cpu, error);

	if (!code)
		printf("%.*s\n", (int)text.size, (const char *)text.bytes);
	blob_free(&text);
	return code;
}

int command_list(int argc, char **argv)
{
	struct list_options options = { .pmu = NULL };
	struct error error = { "" };
	int code;

	arguments_parse(&argp, argc, argv, "bareperf list", &options);
	if (options.encode)
		code = print_encoded(&options, &error);
	else if (options.pmu)
		code = pfm_list(options.pmu, print_event, &options, &error);
	else
		code = print_tables();
	if (code)
		error_print(&error);
	return code ? EXIT_ERROR : EXIT_OK;
}
