/* SPDX-License-Identifier: MIT */
#include "host-tools/record/outside/outside_options.h"

#include <argp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "abi/outside.h"
#include "host-tools/util/arguments.h"
#include "host-tools/util/exit_status.h"

#define PERIOD      1000003U /* a prime: no loop's length divides it */
#define REGION_SIZE (64U << 20)

enum {
	KEY_OUTSIDE = 256,
	KEY_QEMU,
	KEY_CALL_GRAPH,
	KEY_PLUGIN,
	KEY_REGION_SIZE,
	KEY_DRY_RUN,
};

static const struct argp_option argp_options[] = {
	{ "outside", KEY_OUTSIDE, NULL, 0, "sample any guest of QEMU, from outside", 0 },
	{ "symbols", OUTPUT_SYMBOLS, "FILE", 0, "the guest's kernel: vmlinux, System.map, kallsyms",
	  0 },
	{ "count", 'c', "N", 0, "instructions per sample (1000003)", 0 },
	{ "event", 'e', "EVENT", 0, "instructions, with :u, :k or :h of these levels only", 0 },
	{ NULL, 'g', NULL, 0, "with callers, by fp if QEMU can, else calls", 0 },
	{ "call-graph", KEY_CALL_GRAPH, "fp|calls", 0, "callers by frame pointers or by calls", 0 },
	{ "output", OUTPUT_PATH, "FILE", 0, "the file (default: perf.data); -: a stream on stdout",
	  0 },
	{ "arch", 'a', "ARCH", 0, "x86_64 (default) or aarch64", 0 },
	{ "qemu", KEY_QEMU, "FILE", 0, "the QEMU to start (qemu-system-ARCH)", 0 },
	{ "plugin", KEY_PLUGIN, "FILE", 0, "the plugin (bareperf-outside.so of this build)", 0 },
	{ "region-size", KEY_REGION_SIZE, "MIB", 0, "memory for unread samples (64)", 0 },
	{ "dry-run", KEY_DRY_RUN, NULL, 0, "check the command line and start nothing", 0 },
	{ "preallocate", OUTPUT_PREALLOCATE, "SIZE", 0,
	  "reserve this much of the disk for FILE first: 64M, 2G", 0 },
	{ "e-machine", OUTPUT_E_MACHINE, NULL, 0,
	  "write sections of the newest perfs, E_MACHINE, CLN_SIZE", 0 },
	{ 0 },
};

uint32_t outside_event_levels(const char *event)
{
	static const struct {
		char letter;
		uint32_t level;
	} letters[] = { { 'u', OUTSIDE_USER },
		        { 'k', OUTSIDE_KERNEL },
		        { 'h', OUTSIDE_HYPERVISOR } };
	const char *name = "instructions";
	uint32_t levels = 0;

	if (strncmp(event, name, strlen(name)) != 0)
		return 0;
	event += strlen(name);
	if (!*event)
		return OUTSIDE_LEVELS;
	if (*event++ != ':' || !*event)
		return 0;
	for (; *event; event++) {
		uint32_t level = 0;

		for (size_t i = 0; i < sizeof(letters) / sizeof(letters[0]); i++)
			level |= *event == letters[i].letter ? letters[i].level : 0;
		if (!level)
			return 0;
		levels |= level;
	}
	return levels;
}

/* Whether option i is this one of QEMU's, with one dash or two. */
static bool is_option(char *const *options, int i, const char *name)
{
	return options[i][0] == '-' && !strcmp(options[i] + 1 + (options[i][1] == '-'), name);
}

/* The accelerator in the value of -accel ("tcg,thread=single") or -machine ("virt,accel=kvm:tcg").
 */
static bool is_other(const char *value, bool is_machine)
{
	const char *accel = is_machine ? strstr(value, "accel=") : value;

	if (!accel)
		return false;
	if (!strncmp(accel, "accel=", 6))
		accel += 6;
	return strncmp(accel, "tcg", 3) != 0 || !strchr(",:", accel[3]) || (accel[3] == ':');
}

const char *outside_other_accelerator(char *const *options, int count)
{
	for (int i = 0; i < count; i++) {
		bool is_machine = is_option(options, i, "machine") || is_option(options, i, "M");

		if (is_option(options, i, "enable-kvm"))
			return "-enable-kvm";
		if (i + 1 < count && (is_machine || is_option(options, i, "accel")) &&
		    is_other(options[i + 1], is_machine))
			return options[i + 1];
	}
	return NULL;
}

bool outside_has_one_thread(const char *arch, char *const *options, int count)
{
	struct utsname host;

	if (!strcmp(arch, "x86_64") && !uname(&host) && !strcmp(host.machine, "aarch64"))
		return true;
	for (int i = 0; i < count; i++) {
		if (is_option(options, i, "icount") || (i && is_option(options, i - 1, "accel") &&
		                                        strstr(options[i], "thread=single")))
			return true;
	}
	return false;
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct outside_options *options = state->input;

	switch (key) {
	case KEY_OUTSIDE:
		return 0;
	case OUTPUT_SYMBOLS: /* a kernel, and no directory of UEFI images */
		options->output.symbols = arg;
		return 0;
	case 'c':
		options->period = argument_number(state, "--count", arg);
		if (!options->period)
			argp_error(state, "--count 0: want 1 instruction per sample or more");
		return 0;
	case 'e':
		options->event = arg;
		options->levels = outside_event_levels(arg);
		if (!options->levels)
			argp_error(state,
			           "-e %s: from outside only instructions are counted: "
			           "instructions, instructions:u (user), :k (kernel), :h "
			           "(hypervisor), or several letters",
			           arg);
		return 0;
	case 'g':
		options->callers = OUTSIDE_CALLERS_ANY;
		return 0;
	case KEY_CALL_GRAPH:
		if (strcmp(arg, "fp") != 0 && strcmp(arg, "calls") != 0)
			argp_error(state,
			           "--call-graph %s: there are fp (by frame pointers) and "
			           "calls (by the calls that the guest executes)",
			           arg);
		options->callers = *arg == 'f' ? OUTSIDE_CALLERS_FP : OUTSIDE_CALLERS_CALLS;
		return 0;
	case 'a':
		if (strcmp(arg, "x86_64") != 0 && strcmp(arg, "aarch64") != 0)
			argp_error(state, "--arch %s: there are x86_64 and aarch64", arg);
		options->arch = arg;
		return 0;
	case KEY_QEMU:
		options->program = arg;
		return 0;
	case KEY_DRY_RUN:
		options->dry_run = true;
		return 0;
	case KEY_PLUGIN:
		options->plugin = arg;
		return 0;
	case KEY_REGION_SIZE:
		options->region_size =
		    (uint64_t)argument_amount(state, "--region-size", arg, "MiB", 2, 65536) << 20;
		return 0;
	default:
		return output_option_parse(key, arg, state, &options->output);
	}
}

static const struct argp argp = {
	.options = argp_options,
	.parser = parse_option,
	.args_doc = "-- QEMU OPTIONS...",
	.doc =
	    "Start QEMU with these options, sample the guest's instructions from outside, and write "
	    "them to perf.data. The guest needs no preparation. The words after -- are QEMU's "
	    "options, or a whole command line that begins with qemu-system-x86_64 or "
	    "qemu-system-aarch64.\vExit status: QEMU's own; 125 error, 126 the request is "
	    "impossible, 128+N ended by signal N, 253 QEMU ended without its plugin, 254 records are "
	    "unaccounted for.",
};

static _Noreturn void refuse(const char *what, const char *why)
{
	fprintf(stderr, "bareperf run --outside: %s: %s\nTry `bareperf run --outside --help'.\n",
	        what, why);
	exit(RUN_REFUSED);
}

/* The first word behind -- may be QEMU itself, as in a command line that the user pastes. */
static void take_program(struct outside_options *options)
{
	const char *first = options->qemu_option_count ? options->qemu_options[0] : "";
	const char *name = strrchr(first, '/') ? strrchr(first, '/') + 1 : first;

	if (strncmp(name, "qemu-system-", 12) != 0)
		return;
	options->arch = strstr(name, "aarch64") || strstr(name, "arm64") ? "aarch64" : "x86_64";
	if (!options->program)
		options->program = first;
	options->qemu_options++;
	options->qemu_option_count--;
}

void outside_options_parse(struct outside_options *options, int argc, char **argv)
{
	static char default_program[64];
	const char *accelerator;
	int separator = 1;

	*options = (struct outside_options){
		.arch = "x86_64",
		.event = "instructions",
		.levels = OUTSIDE_LEVELS,
		.period = PERIOD,
		.region_size = REGION_SIZE,
	};
	while (separator < argc && strcmp(argv[separator], "--") != 0)
		separator++;
	arguments_parse_as(&argp, separator, argv, "bareperf run --outside", 0, RUN_REFUSED,
	                   options);
	options->qemu_options = argv + separator + (separator < argc);
	options->qemu_option_count = argc - separator - (separator < argc);
	take_program(options);
	if (!options->qemu_option_count)
		refuse("no guest",
		       "put QEMU's options behind --, for example -- -nographic "
		       "-kernel vmlinuz -append 'console=ttyS0 nokaslr'");
	accelerator = outside_other_accelerator(options->qemu_options, options->qemu_option_count);
	if (accelerator)
		refuse(accelerator,
		       "only the emulator TCG (-accel tcg, QEMU's default) calls plugins. With an "
		       "accelerator the host's CPU executes the guest, and QEMU does not see its "
		       "instructions");
	snprintf(default_program, sizeof(default_program), "qemu-system-%s", options->arch);
	if (!options->program)
		options->program = default_program;
	output_options_end(&options->output, false);
}
