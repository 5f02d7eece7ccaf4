/* SPDX-License-Identifier: MIT */
#include "host-tools/bench/noise.h"

#include <argp.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "host-tools/bench/bench_link.h"
#include "host-tools/bench/machine_options.h"
#include "host-tools/util/arguments.h"
#include "host-tools/util/exit_status.h"

enum { KEY_JSON = 256 };

/* The options and the machine. The machine's own command checks the values. */
struct noise_options {
	struct machine_options machine;
	const char *duration, *period, *threshold, *cpus; /* NULL: not given */
	bool json;
};

static const struct argp_option argp_options[] = {
	{ "duration", 'd', "S", 0, "seconds for each CPU (10)", 0 },
	{ "period", 'p', "US", 0, "length of a period (100000)", 0 },
	{ "threshold", 'T', "US", 0, "longer gaps are noise (1)", 0 },
	{ "cpu", 'C', "LIST", 0, "CPUs, as 0,2-3 (all)", 0 },
	{ "json", KEY_JSON, NULL, 0, "print one JSON object", 0 },
	{ 0 },
};

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct noise_options *options = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &options->machine;
		return 0;
	case 'd':
		options->duration = arg;
		return 0;
	case 'p':
		options->period = arg;
		return 0;
	case 'T':
		options->threshold = arg;
		return 0;
	case 'C':
		options->cpus = arg;
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
	    "Measure the time that something else takes from each CPU: system management mode, a "
	    "hypervisor, firmware. Without --channel a machine is booted in QEMU.\vThe table is "
	    "that of `rtla hwnoise', with a column of system management interrupts; on Arm it "
	    "counts all gaps. Exit status: 125 error, 126 wrong usage.",
};

/* Add an option of the machine's command. Words with other characters would be further options. */
static void add(char *text, size_t size, const char *option, const char *value)
{
	size_t used = strlen(text);

	if (!value)
		return;
	if (!*value || strspn(value, "0123456789,-KMG") != strlen(value))
		machine_options_refuse("bareperf noise",
		                       "the options want numbers, and -C a list of them");
	snprintf(text + used, size - used, " %s %s", option, value);
}

static int status_of(const struct bench_link *link, int code, const struct error *error)
{
	int signal = bench_link_signal(link);

	if (!code)
		return EXIT_OK;
	error_print(error);
	return signal ? RUN_SIGNAL + signal : code == -EINVAL ? RUN_REFUSED : RUN_ERROR;
}

int command_noise(int argc, char **argv)
{
	struct noise_options options = { .json = false };
	static struct bench_link link;
	struct error error = { "" };
	char text[512] = "noise";
	const char *wrong;
	int code, status, words = machine_options_divide(&options.machine, argc, argv);

	arguments_parse_as(&argp, words, argv, "bareperf noise", 0, RUN_REFUSED, &options);
	wrong = machine_options_check(&options.machine);
	if (wrong)
		machine_options_refuse("bareperf noise", wrong);
	add(text, sizeof(text), "-d", options.duration);
	add(text, sizeof(text), "-p", options.period);
	add(text, sizeof(text), "-T", options.threshold);
	add(text, sizeof(text), "-C", options.cpus);
	if (options.json)
		strcat(text, " --json");
	code = bench_link_open(&link, &options.machine, &error);
	if (!code)
		code = bench_link_command(&link, text, stdout, &error);
	status = status_of(&link, code, &error);
	bench_link_close(&link);
	return status;
}
