/* SPDX-License-Identifier: MIT */
#include "host-tools/bench/machine_options.h"

#include <stdlib.h>
#include <string.h>

#include "host-tools/util/exit_status.h"

#define TIMEOUT_S 60.0

enum { KEY_ARCH = 0x5000, KEY_IMAGE, KEY_QEMU, KEY_FIRMWARE };

static const struct argp_option argp_options[] = {
	CHANNEL_OPTIONS("seconds to wait for the machine (60)"),
	{ "arch", KEY_ARCH, "ARCH", 0, "x86_64 (default) or aarch64", 0 },
	{ "image", KEY_IMAGE, "FILE.efi", 0, "the image to boot", 0 },
	{ "qemu", KEY_QEMU, "FILE", 0, "the QEMU to start", 0 },
	{ "firmware", KEY_FIRMWARE, "FILE", 0, "UEFI firmware, for QEMU's -bios", 0 },
	{ 0 },
};

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct machine_options *options = state->input;

	switch (key) {
	case KEY_ARCH:
		if (strcmp(arg, "x86_64") != 0 && strcmp(arg, "aarch64") != 0)
			argp_error(state, "--arch %s: there are x86_64 and aarch64", arg);
		options->arch = arg;
		return 0;
	case KEY_IMAGE:
		options->image = arg;
		return 0;
	case KEY_QEMU:
		options->qemu = arg;
		return 0;
	case KEY_FIRMWARE:
		options->firmware = arg;
		return 0;
	default:
		return channel_option_parse(key, arg, state, &options->channel);
	}
}

const struct argp machine_argp = { .options = argp_options, .parser = parse_option };

int machine_options_divide(struct machine_options *options, int argc, char **argv)
{
	int separator = 1;

	*options = (struct machine_options){ .arch = "x86_64", .channel.timeout = TIMEOUT_S };
	while (separator < argc && strcmp(argv[separator], "--") != 0)
		separator++;
	if (separator < argc) {
		options->qemu_options = argv + separator + 1;
		options->qemu_option_count = argc - separator - 1;
	}
	return separator;
}

const char *machine_options_check(const struct machine_options *options)
{
	return options->channel.url && (options->image || options->qemu || options->firmware ||
	                                options->qemu_option_count)
	           ? "--channel is a machine that runs already: no options of QEMU"
	           : NULL;
}

_Noreturn void machine_options_refuse(const char *command, const char *what)
{
	fprintf(stderr, "%s: %s\nTry `%s --help'.\n", command, what, command);
	exit(RUN_REFUSED);
}
