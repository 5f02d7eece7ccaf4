/* SPDX-License-Identifier: MIT */
/* The command line of `bareperf run`. */
#include "host-tools/run_options.h"

#include <argp.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host-tools/commands.h"

enum {
	KEY_SYMBOLS = 256,
	KEY_PAYLOAD,
	KEY_QEMU,
	KEY_FIRMWARE,
	KEY_TIMEOUT,
	KEY_REGION,
	KEY_REGION_SIZE,
	KEY_NO_DOORBELL,
};

static const struct argp_option argp_options[] = {
	{ "arch", 'a', "ARCH", 0, "x86_64 (default) or aarch64", 0 },
	{ "image", 'i', "FILE.efi", 0, "the image to boot", 0 },
	{ "output", 'o', "FILE", 0, "where the recording goes (default: perf.data)", 0 },
	{ "payload", KEY_PAYLOAD, "FILE", 0,
	  "the program that `record -- payload ARGS...` runs (docs/payloads.md)", 0 },
	{ "symbols", KEY_SYMBOLS, "DIR", 0, "ELF, or directory of ELFs, with the image's symbols",
	  0 },
	{ "timeout", KEY_TIMEOUT, "S", 0, "wait this long for the image to start (default: 60)",
	  0 },
	{ "qemu", KEY_QEMU, "FILE", 0, "the QEMU to start", 0 },
	{ "firmware", KEY_FIRMWARE, "FILE", 0, "UEFI firmware, as QEMU's -bios takes it", 0 },
	{ "region", KEY_REGION, "FILE", 0, "keep the trace region in this file", 0 },
	{ "region-size", KEY_REGION_SIZE, "MIB", 0, "size of the shared memory (default: 64)", 0 },
	{ "no-doorbell", KEY_NO_DOORBELL, NULL, 0, "look at the rings every millisecond", 0 },
	{ "json", 'j', NULL, 0, "the counts of `stat` as JSON, on standard output", 0 },
	{ "verbose", 'v', NULL, 0, "show the machine's serial line", 0 },
	{ 0 },
};

static int parse_number(const char *text, double least, double most, double *value)
{
	char *end;

	errno = 0;
	*value = strtod(text, &end);
	return !errno && end != text && !*end && *value >= least && *value <= most ? 0 : -EINVAL;
}

static void set_arch(struct run_options *options, const char *arg, struct argp_state *state)
{
	if (strcmp(arg, "x86_64") != 0 && strcmp(arg, "aarch64") != 0)
		argp_error(state, "--arch %s: there are x86_64 and aarch64", arg);
	options->arch = arg;
}

static void set_region_size(struct run_options *options, const char *arg, struct argp_state *state)
{
	double mib;

	if (parse_number(arg, 2, 65536, &mib) || ((uint64_t)mib & ((uint64_t)mib - 1)) ||
	    mib != (double)(uint64_t)mib)
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
	case 'o':
		options->output = arg;
		return 0;
	case 'v':
		options->verbose = true;
		return 0;
	case 'j':
		options->json = true;
		return 0;
	case KEY_PAYLOAD:
		options->payload = arg;
		return 0;
	case KEY_NO_DOORBELL:
		options->no_doorbell = true;
		return 0;
	case KEY_SYMBOLS:
		options->symbols = arg;
		return 0;
	case KEY_QEMU:
		options->qemu = arg;
		return 0;
	case KEY_FIRMWARE:
		options->firmware = arg;
		return 0;
	case KEY_REGION:
		options->region = arg;
		return 0;
	case KEY_REGION_SIZE:
		set_region_size(options, arg, state);
		return 0;
	case KEY_TIMEOUT:
		if (parse_number(arg, 0.1, 86400, &options->timeout))
			argp_error(state, "--timeout %s: want seconds, 0.1 to 86400", arg);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp argp = {
	.options = argp_options,
	.parser = parse_option,
	.args_doc =
	    "[QEMU OPTIONS...] -- record -e EVENT... -- WORKLOAD\n"
	    "[QEMU OPTIONS...] -- stat -e EVENT... -- WORKLOAD\n"
	    "[QEMU OPTIONS...] -- list|version|help",
	.doc =
	    "Boot the image in QEMU, run one command on it, and write what it records to "
	    "perf.data.\vFrom the first option that is not in the list above up to --, the "
	    "words are QEMU's. Exit status: the program's; 125 error, 126 refused, 128+N ended by "
	    "signal N (139: the program crashed), 253 the machine did not come to its end, 254 "
	    "records are unaccounted for. `bareperf run -- help` shows the image's own commands.",
};

/* How many words option argv[0] is long if it is one of ours, 0 if it is not. Short options are
 * single words here, since "-smp" is QEMU's. */
static int own_words(char **argv)
{
	const char *word = argv[0];

	if (!strcmp(word, "--help") || !strcmp(word, "--usage") || !strcmp(word, "-?"))
		return 1;
	for (const struct argp_option *option = argp_options; option->name; option++) {
		size_t length = strlen(option->name);
		bool is_short = word[0] == '-' && word[1] == option->key && !word[2];
		bool is_long = !strncmp(word, "--", 2) && !strncmp(word + 2, option->name, length);

		if (is_long && option->arg && word[2 + length] == '=')
			return 1;
		if (is_short || (is_long && !word[2 + length]))
			return option->arg && argv[1] ? 2 : 1;
	}
	return 0;
}

void run_options_parse(struct run_options *options, int argc, char **argv)
{
	int own = 1, separator = 1;
	char name[] = "bareperf run", *first = argv[0];

	*options = (struct run_options){
		.arch = "x86_64",
		.region_size = 64 << 20,
		.timeout = 60,
	};
	while (separator < argc && strcmp(argv[separator], "--") != 0)
		separator++;
	while (own < separator && own_words(argv + own))
		own += own_words(argv + own);
	if (own > separator)
		own = separator;
	argp_err_exit_status = RUN_REFUSED;
	argv[0] = name;
	argp_parse(&argp, own, argv, 0, NULL, options);
	argv[0] = first;
	options->qemu_options = argv + own;
	options->qemu_option_count = separator - own;
	options->guest = argv + separator + 1;
	options->guest_count = argc - separator - 1;
	if (options->guest_count <= 0) {
		fprintf(stderr,
		        "bareperf run: no command for the machine: say, for example,\n"
		        "  bareperf run -- record -e cpu-clock -g -- calltree\n"
		        "Try `bareperf run --help'.\n");
		exit(RUN_REFUSED);
	}
	options->stat = !strcmp(options->guest[0], "stat");
	if (!options->output)
		options->output = options->stat ? "/dev/null" : "perf.data";
}
