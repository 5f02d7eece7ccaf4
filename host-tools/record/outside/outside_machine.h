/* SPDX-License-Identifier: MIT */
/* A QEMU with the plugin, from its start to its end. Main thread. */
#ifndef HOST_TOOLS_RECORD_OUTSIDE_OUTSIDE_MACHINE_H
#define HOST_TOOLS_RECORD_OUTSIDE_OUTSIDE_MACHINE_H

#include <stdbool.h>
#include <sys/types.h>

#include "abi/outside.h"
#include "host-tools/record/drive.h"
#include "host-tools/record/outside/outside_options.h"
#include "host-tools/region/region_lease.h"
#include "writer/region/channel.h"

struct outside_machine {
	struct drive drive;
	const struct outside_options *options;
	struct outside_config config;
	char *symbols; /* the kernel's ELF file; NULL: none */
	int region_fd, config_fd, signals;
	pid_t pid; /* of QEMU; 0: it does not run */
	int pidfd;
	int status; /* of wait(), once it has ended */
	struct channel channel;
	struct region region;
	struct region_lease lease;
	bool has_region, has_ended;
	bool is_refused;      /* the plugin refused the request */
	int signal;           /* that ends the run; 0: none came */
	double told;          /* when QEMU was told to end, s; 0: not yet */
	bool snapshot_wanted; /* no AUX area: it has no effect */
	uint64_t placed;      /* samples within the kernel's image */
};

/* Start QEMU, read its samples until it ends. 0, or a negative errno and the reason. QEMU has ended
 * when this returns. command: the tool's command line, for the file. */
int outside_machine_run(struct outside_machine *machine, const struct outside_options *options,
                        const char *const *command, int words, struct error *error);

void outside_machine_free(struct outside_machine *machine);

#endif
