/* SPDX-License-Identifier: MIT */
/* The command line of `bareperf run`. */
#include "host-tools/record/qemu/run_options.h"

#include <argp.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "abi/machine.h"
#include "command/command.h"
#include "host-tools/record/command/guest_archive.h"
#include "host-tools/record/command/guest_options.h"
#include "host-tools/record/qemu/kvm.h"
#include "host-tools/util/arguments.h"
#include "host-tools/util/exit_status.h"
#include "pmu/parse/suggest.h"

#define TIMEOUT_S 60.0

enum {
	KEY_PAYLOAD = 256,
	KEY_FILE,
	KEY_STDIN,
	KEY_FETCH,
	KEY_QEMU,
	KEY_FIRMWARE,
	KEY_FIRMWARE_VARS,
	KEY_TIMEOUT,
	KEY_REGION,
	KEY_REGION_SIZE,
	KEY_NO_DOORBELL,
	KEY_DRY_RUN,
	KEY_KVM,
	KEY_OUTSIDE,
};

static const struct argp_option argp_options[] = {
	{ "arch", 'a', "ARCH", 0, "x86_64 (default) or aarch64", 0 },
	{ "kvm", KEY_KVM, NULL, 0, "run on this host's CPU, with its counters", 0 },
	{ "outside", KEY_OUTSIDE, NULL, 0, "sample any guest instead: see run --outside --help",
	  0 },
	{ "image", 'i', "FILE.efi", 0, "the image to boot", 0 },
	OUTPUT_OPTIONS,
	{ "payload", KEY_PAYLOAD, "FILE", 0, "the program of `record -- payload ARGS...`", 0 },
	{ "file", KEY_FILE, "FILE", 0, "a file for the program, under this name; repeatable", 0 },
	{ "stdin", KEY_STDIN, "FILE", 0, "the program's standard input", 0 },
	{ "fetch", KEY_FETCH, "FILE[=LOCAL]", 0,
	  "copy this file of the program to the host; repeatable", 0 },
	{ "timeout", KEY_TIMEOUT, "S", 0, "seconds for the image, then the command, to start (60)",
	  0 },
	{ "qemu", KEY_QEMU, "FILE", 0, "the QEMU to start", 0 },
	{ "firmware", KEY_FIRMWARE, "FILE", 0, "UEFI firmware, for QEMU's -bios", 0 },
	{ "firmware-vars", KEY_FIRMWARE_VARS, "FILE", 0, "its variables; both become flash", 0 },
	{ "region", KEY_REGION, "FILE", 0, "keep the trace region in this file", 0 },
	{ "region-size", KEY_REGION_SIZE, "MIB", 0, "size of the shared memory (default: 64)", 0 },
	{ "no-doorbell", KEY_NO_DOORBELL, NULL, 0, "read the rings every millisecond", 0 },
	{ "json", 'j', NULL, 0, "print the result of the command as JSON", 0 },
	{ "dry-run", KEY_DRY_RUN, NULL, 0, "check the command and start nothing", 0 },
	TOP_OPTIONS,
	{ "verbose", 'v', NULL, 0, "show the machine's serial line", 0 },
	{ 0 },
};

static void set_arch(struct run_options *options, const char *arg, struct argp_state *state)
{
	if (strcmp(arg, "x86_64") != 0 && strcmp(arg, "aarch64") != 0)
		argp_error(state, "--arch %s: there are x86_64 and aarch64", arg);
	options->arch = arg;
}

static void set_region_size(struct run_options *options, const char *arg, struct argp_state *state)
{
	char *end;
	unsigned long mib = strtoul(arg, &end, 10);

	if (end == arg || *end || mib < 2 || mib > 65536 || (mib & (mib - 1)))
		argp_error(state, "--region-size %s: want a power of two of MiB, 2 to 65536", arg);
	options->region_size = (uint64_t)mib << 20;
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct run_options *options = state->input;

	switch (key) {
	case 'a':
		set_arch(options, arg, state);
		return 0;
	case 'i':
		options->image = arg;
		return 0;
	case 'v':
		options->verbose = true;
		return 0;
	case 'j':
		options->json = true;
		return 0;
	case KEY_KVM:
		options->kvm_option = true;
		return 0;
	case KEY_DRY_RUN:
		options->dry_run = true;
		return 0;
	case KEY_PAYLOAD:
		options->guest.payload = arg;
		return 0;
	case KEY_FILE:
		options->guest.files[options->guest.file_count++] = arg;
		return 0;
	case KEY_FETCH:
		options->guest.fetch[options->guest.fetch_count++] = arg;
		return 0;
	case KEY_STDIN:
		options->guest.input = arg;
		return 0;
	case KEY_NO_DOORBELL:
		options->no_doorbell = true;
		return 0;
	case KEY_QEMU:
		options->qemu = arg;
		return 0;
	case KEY_FIRMWARE:
		options->firmware = arg;
		return 0;
	case KEY_FIRMWARE_VARS:
		options->firmware_vars = arg;
		return 0;
	case KEY_REGION:
		options->region = arg;
		return 0;
	case KEY_REGION_SIZE:
		set_region_size(options, arg, state);
		return 0;
	case KEY_TIMEOUT:
		options->timeout = argument_amount(state, "--timeout", arg, "seconds", 0.1, 86400);
		return 0;
	default:
		if (!top_option_parse(key, arg, state, &options->top))
			return 0;
		return output_option_parse(key, arg, state, &options->output);
	}
}

static const struct argp argp = {
	.options = argp_options,
	.parser = parse_option,
	.args_doc =
	    "[QEMU OPTIONS...] -- record -e EVENT... -- WORKLOAD\n"
	    "[QEMU OPTIONS...] -- stat -e EVENT... -- WORKLOAD\n"
	    "[QEMU OPTIONS...] -- top -e EVENT... -- WORKLOAD\n"
	    "[QEMU OPTIONS...] -- selftest|noise|list|version|help",
	.doc =
	    "Boot the image in QEMU, run one command on it, and write its recording to "
	    "perf.data.\vOptions before -- that are not in the list above, and their arguments, "
	    "go to QEMU. Exit status: the program's; 125 error, 126 the request is impossible, "
	    "128+N ended by signal N (139: the program crashed), 253 the machine did not "
	    "complete the run, 254 records are unaccounted for. `bareperf run -- help` shows the "
	    "image's own commands.",
};

/* QEMU's options have one dash or two. An unknown one with two that is nearly one of bareperf's is
 * a misspelt one. */
static void refuse_misspelt(const char *word)
{
	struct suggestion near = suggestion_for(word + 2, strcspn(word + 2, "="));

	for (const struct argp_option *option = argp_options; option->name; option++)
		suggestion_offer(&near, option->name);
	if (!near.meant)
		return;
	fprintf(stderr, "bareperf run: unknown option %s; did you mean --%s?\n", word, near.meant);
	exit(RUN_REFUSED);
}

/* Sort the words: bareperf's options go to own, behind its first word; QEMU's, in their order, to
 * options. Returns the number of words in own. */
static int divide(struct run_options *options, int count, char **argv, char **own)
{
	int owned = 1;

	for (int i = 1; i < count;) {
		int words = guest_option_words(argp_options, argv + i);

		if (!words && !strncmp(argv[i], "--", 2))
			refuse_misspelt(argv[i]);
		if (!words)
			options->qemu_options[options->qemu_option_count++] = argv[i++];
		for (; words && i < count; words--)
			own[owned++] = argv[i++];
	}
	return owned;
}

/* The workload's name among the command's words; "" if it has none. */
static const char *workload(const struct run_options *options)
{
	int i = (int)command_own_words((const char *const *)options->guest.words,
	                               (unsigned)options->guest.count);

	if (i < options->guest.count && !strcmp(options->guest.words[i], "--"))
		i++;
	return i < options->guest.count ? options->guest.words[i] : "";
}

static bool is_command(const struct run_options *options, const char *name)
{
	return options->guest.count > 0 && !strcmp(options->guest.words[0], name);
}

static _Noreturn void refuse(const char *what)
{
	fprintf(stderr, "bareperf run: %s\nTry `bareperf run --help'.\n", what);
	exit(RUN_REFUSED);
}

/* The result is a file that the machine itself writes, so the machine needs the option. */
static void ask_for_json(struct run_options *options)
{
	static char json[] = "--json";
	char **words = calloc((size_t)options->guest.count + 2, sizeof(*words));

	if (!words)
		refuse("no memory");
	memcpy(words, options->guest.words, (size_t)options->guest.count * sizeof(*words));
	words[options->guest.count++] = json;
	options->guest.words = words;
}

/* `top' is `record' with a live view: the machine has no command `top'. */
static void take_top(struct run_options *options)
{
	static char record[] = "record";
	const char *wrong;

	options->top.wanted = is_command(options, "top");
	if (options->top.wanted)
		options->guest.words[0] = record;
	wrong = top_options_check(&options->top, &options->output);
	if (wrong)
		refuse(wrong);
}

/* The user's --timeout, or the defaults. */
static void set_timeouts(struct run_options *options)
{
	options->silence = options->timeout > 0 ? options->timeout : KVM_SILENCE_S;
	if (options->timeout <= 0)
		options->timeout = TIMEOUT_S;
}

static void check_whole(const struct run_options *options)
{
	if (options->guest.count <= 0)
		refuse(
		    "no command for the machine behind --; for example:\n"
		    "  bareperf run -- record -e cpu-clock -g -- calltree");
	if (options->json && !options->stat && !is_command(options, "selftest") &&
	    !is_command(options, "noise"))
		refuse("--json works only with `stat', `selftest' and `noise'");
	if (options->firmware_vars && !options->firmware)
		refuse("--firmware-vars needs its code: add --firmware FILE");
	if (!options->guest.payload && guest_has_files(&options->guest))
		refuse("--file and --stdin need a program: add --payload FILE");
	if (options->guest.payload && strcmp(workload(options), "payload") != 0)
		refuse("--payload: the command does not run it; use `record -- payload'");
}

void run_options_parse(struct run_options *options, int argc, char **argv)
{
	char **words =
	    calloc(4 * (size_t)argc + 2, sizeof(*words)); /* bareperf's, QEMU's, files; never freed
	                                                   * */
	int separator = 1, owned;

	*options = (struct run_options){
		.arch = "x86_64",
		.region_size = 64 << 20,
		.top = TOP_DEFAULTS,
	};
	if (!words)
		refuse("no memory");
	while (separator < argc && strcmp(argv[separator], "--") != 0)
		separator++;
	options->qemu_options = words + argc + 1;
	options->guest.files = words + 2 * argc + 1;
	options->guest.fetch = words + 3 * argc + 1;
	owned = divide(options, separator, argv, words);
	arguments_parse_as(&argp, owned, words, "bareperf run", 0, RUN_REFUSED, options);
	set_timeouts(options);
	options->kvm = options->kvm_option ||
	               kvm_by_options(options->qemu_options, options->qemu_option_count);
	options->guest.words = argv + separator + 1;
	options->guest.count = argc - separator - 1;
	options->guest.machine = strcmp(options->arch, "aarch64") ? EM_X86_64 : EM_AARCH64;
	options->guest.poweroff = true;
	options->stat = is_command(options, "stat");
	take_top(options);
	check_whole(options);
	if (options->json && !options->stat)
		ask_for_json(options);
	output_options_end(&options->output, options->stat || options->top.wanted);
}
