/* SPDX-License-Identifier: MIT */
/* Which machine a command measures: one at the end of a channel, or one that is booted in QEMU. */
#ifndef HOST_TOOLS_BENCH_MACHINE_OPTIONS_H
#define HOST_TOOLS_BENCH_MACHINE_OPTIONS_H

#include <argp.h>

#include "host-tools/region/channel_options.h"

struct machine_options {
	struct channel_options channel; /* url NULL: boot a machine in QEMU */
	const char *arch, *image, *qemu, *firmware;
	char **qemu_options;
	int qemu_option_count;
};

/* The options, as a child of a command's argp; its input is the struct machine_options. */
extern const struct argp machine_argp;

/* Set the defaults. The words behind "--" become QEMU's options. Returns the number of words before
 * it. Main thread, as all functions here. */
int machine_options_divide(struct machine_options *options, int argc, char **argv);

/* Why the options contradict each other; NULL: they do not. */
const char *machine_options_check(const struct machine_options *options);

/* End the program: wrong usage of the command ("bareperf bench"). */
_Noreturn void machine_options_refuse(const char *command, const char *what);

#endif
