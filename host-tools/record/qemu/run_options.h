/* SPDX-License-Identifier: MIT */
/* The command line of `bareperf run`. */
#ifndef HOST_TOOLS_RECORD_QEMU_RUN_OPTIONS_H
#define HOST_TOOLS_RECORD_QEMU_RUN_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "host-tools/record/command/guest.h"
#include "host-tools/session/output_options.h"
#include "host-tools/top/top_options.h"

struct run_options {
	const char *arch;             /* "x86_64" unless given */
	const char *image;            /* NULL: from the build tree of this tool */
	struct output_options output; /* "perf.data" unless given; of `stat` and `top`, /dev/null */
	const char *qemu;             /* NULL: search $PATH */
	const char *firmware;         /* NULL: search */
	const char *firmware_vars;    /* NULL: none */
	const char *region;           /* file for the shared memory; NULL: anonymous */
	uint64_t region_size;         /* bytes, a power of two */
	double timeout;               /* s until the region must be there */
	double silence;               /* with KVM: s until the firmware must have shown a sign */
	bool verbose;
	bool dry_run;        /* only check the command */
	bool no_doorbell;    /* poll */
	bool kvm_option;     /* --kvm */
	bool kvm;            /* --kvm, or an option of QEMU that asks for KVM */
	unsigned lbr_format; /* of KVM's guests; 0: none */
	bool json;           /* of `stat`: print the counts as JSON */
	bool stat;           /* the command is `top` */
	struct top_options top;
	char **qemu_options;
	int qemu_option_count;
	struct guest guest;
};

/* Split argv: bareperf's options, QEMU's (all others before "--"), and the guest's command behind
 * "--". Does not return for --help or a wrong command line. */
void run_options_parse(struct run_options *options, int argc, char **argv);

#endif
