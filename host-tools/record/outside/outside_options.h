/* SPDX-License-Identifier: MIT */
/* The command line of `bareperf run --outside`. */
#ifndef HOST_TOOLS_RECORD_OUTSIDE_OUTSIDE_OPTIONS_H
#define HOST_TOOLS_RECORD_OUTSIDE_OUTSIDE_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "host-tools/session/output_options.h"

struct outside_options {
	struct output_options output;
	const char *arch;    /* "x86_64", "aarch64" */
	const char *program; /* QEMU's name or path */
	const char *plugin;  /* NULL: beside this tool, or in its libexec/bareperf/ */
	const char *event;   /* "instructions:k" */
	uint64_t period;     /* instructions per sample */
	uint64_t region_size;
	uint32_t levels;  /* OUTSIDE_* */
	uint32_t callers; /* OUTSIDE_CALLERS_* */
	bool dry_run;
	char **qemu_options;
	int qemu_option_count;
};

/* The levels of "instructions" or "instructions:ukh" (abi/outside.h); 0: another text. */
uint32_t outside_event_levels(const char *event);

/* QEMU's options ask for an accelerator other than TCG. Returns its name, or NULL. */
const char *outside_other_accelerator(char *const *options, int count);

/* QEMU executes all vCPUs of this guest ("x86_64") on one thread: by its options, or since this
 * host orders memory accesses less than the guest's ISA does. */
bool outside_has_one_thread(const char *arch, char *const *options, int count);

/* Ends the program if the words are wrong. */
void outside_options_parse(struct outside_options *options, int argc, char **argv);

#endif
