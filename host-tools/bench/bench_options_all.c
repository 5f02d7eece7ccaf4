/* SPDX-License-Identifier: MIT */
/* The command line of `bareperf bench`. */
#include <argp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host-tools/bench/bench_options.h"
#include "host-tools/util/arguments.h"
#include "host-tools/util/exit_status.h"

#define TIMEOUT_S 60.0

enum {
	KEY_CHANNEL = 256,
	KEY_TIMEOUT,
	KEY_ADDRESS,
	KEY_STOP_BUDGET,
	KEY_QEMU,
	KEY_FIRMWARE,
	KEY_SERVE,
	KEY_LIMIT,
	KEY_ARCH,
	KEY_IMAGE,
	KEY_JSON,
};

static const struct argp_option argp_options[] = {
	{ "channel", KEY_CHANNEL, "URL", 0, "a running machine; `help' lists the kinds", 0 },
	{ "address", KEY_ADDRESS, "ADDRESS", 0, "the trace region's address", 0 },
	{ "stop-budget", KEY_STOP_BUDGET, "N%", 0, "gdb: share of time to stop the machine", 0 },
	{ "timeout", KEY_TIMEOUT, "S", 0, "seconds to wait for the machine (60)", 0 },
	{ "arch", KEY_ARCH, "ARCH", 0, "x86_64 (default) or aarch64", 0 },
	{ "image", KEY_IMAGE, "FILE.efi", 0, "the image to boot", 0 },
	{ "qemu", KEY_QEMU, "FILE", 0, "the QEMU to start", 0 },
	{ "firmware", KEY_FIRMWARE, "FILE", 0, "UEFI firmware, for QEMU's -bios", 0 },
	{ "json", KEY_JSON, NULL, 0, "print all measurements as JSON", 0 },
	{ "limit", KEY_LIMIT, "S", 0, "seconds until a snippet is ended (10)", 0 },
	{ "serve", KEY_SERVE, NULL, 0, "take JSON requests from standard input", 0 },
	{ 0 },
};

struct all {
	struct bench_options *options;
	struct bench_machine_options *machine;
};

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct all *all = state->input;
	struct bench_machine_options *machine = all->machine;

	switch (key) {
	case KEY_CHANNEL:
		if (!strcmp(arg, "help")) {
			channel_url_help(stdout);
			exit(EXIT_OK);
		}
		machine->url = arg;
		return 0;
	case KEY_ADDRESS:
		machine->channel.address = arg;
		return 0;
	case KEY_STOP_BUDGET:
		machine->channel.stop_budget = arg;
		return 0;
	case KEY_TIMEOUT:
		machine->timeout = argument_amount(state, "--timeout", arg, "seconds", 0.1, 86400);
		return 0;
	case KEY_ARCH:
		if (strcmp(arg, "x86_64") != 0 && strcmp(arg, "aarch64") != 0)
			argp_error(state, "--arch %s: there are x86_64 and aarch64", arg);
		machine->arch = arg;
		return 0;
	case KEY_IMAGE:
		machine->image = arg;
		return 0;
	case KEY_QEMU:
		machine->qemu = arg;
		return 0;
	case KEY_FIRMWARE:
		machine->firmware = arg;
		return 0;
	case KEY_JSON:
		all->options->json = true;
		return 0;
	case KEY_LIMIT:
		all->options->limit_ms =
		    (uint32_t)(1000 *
		               argument_amount(state, "--limit", arg, "seconds", 0.001, 86400));
		return 0;
	case KEY_SERVE:
		machine->serve = true;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp argp = {
	.options = argp_options,
	.parser = parse_option,
	.args_doc = "-asm CODE [NANOBENCH'S OPTIONS...] [-- QEMU OPTIONS...]",
	.doc =
	    "Measure a snippet of machine code on a machine without an operating system, by the "
	    "CPU's counters. Without --channel a machine is booted in QEMU.\vnanoBench's options, "
	    "of which a unique beginning is enough: -asm -asm_init -asm_late_init "
	    "-asm_one_time_init CODE; -code -code_init -code_late_init -code_one_time_init FILE; "
	    "-config -msr_config FILE; -fixed_counters; -n_measurements -unroll_count -loop_count "
	    "-warm_up_count -initial_warm_up_count -alignment_offset -code_offset -cpu N; -avg "
	    "-median -min -max -range; -basic_mode -no_mem -no_normalization -remove_empty_events "
	    "-df -verbose. `man bareperf-bench' explains them. Exit status: 1 the snippet ended "
	    "with an exception or the machine refused it, 125 error, 126 wrong usage.",
};

static _Noreturn void refuse(const char *what)
{
	fprintf(stderr, "bareperf bench: %s\nTry `bareperf bench --help'.\n", what);
	exit(RUN_REFUSED);
}

void bench_options_parse_all(struct bench_options *options, struct bench_machine_options *machine,
                             int argc, char **argv)
{
	char **own = calloc((size_t)argc + 2, sizeof(*own)); /* never freed: argp keeps words */
	struct all all = { options, machine };
	struct error error = { "" };
	int separator = 1, kept;

	bench_options_init(options);
	*machine = (struct bench_machine_options){ .arch = "x86_64", .timeout = TIMEOUT_S };
	if (!own)
		refuse("no memory");
	while (separator < argc && strcmp(argv[separator], "--") != 0)
		separator++;
	if (separator < argc) {
		machine->qemu_options = argv + separator + 1;
		machine->qemu_option_count = argc - separator - 1;
	}
	own[0] = argv[0];
	if (bench_options_parse(options, separator - 1, argv + 1, own + 1, &kept, &error))
		refuse(error.text);
	arguments_parse_as(&argp, kept + 1, own, "bareperf bench", 0, RUN_REFUSED, &all);
	machine->channel.timeout = machine->timeout;
	if (machine->url &&
	    (machine->image || machine->qemu || machine->firmware || machine->qemu_option_count))
		refuse("--channel is a machine that runs already: no options of QEMU");
	if (!machine->serve && !options->assembly[BENCH_CODE] && !options->files[BENCH_CODE])
		refuse("there is no code to measure: give -asm CODE or -code FILE");
}
