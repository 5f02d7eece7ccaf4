/* SPDX-License-Identifier: MIT */
#include "plugin/request.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define REQUEST_REGISTERS 4 /* of the interface: it gives registers and memory */

struct outside_config *request_read(int argc, char **argv)
{
	struct outside_config *config = malloc(sizeof(*config));
	int fd;

	if (!config || argc != 1 || sscanf(argv[0], "config=%d", &fd) != 1 ||
	    pread(fd, config, sizeof(*config), 0) != (ssize_t)sizeof(*config) ||
	    config->magic != OUTSIDE_MAGIC || config->version != OUTSIDE_VERSION ||
	    config->size != sizeof(*config) || !config->period ||
	    config->image_count > TR_MAX_IMAGES) {
		free(config);
		return NULL;
	}
	return config;
}

void request_choose_callers(struct outside_config *config, int version)
{
	if (config->callers == OUTSIDE_CALLERS_ANY)
		config->callers = version < REQUEST_REGISTERS ? OUTSIDE_CALLERS_CALLS
		                                              : OUTSIDE_CALLERS_FP;
}

const char *request_unsupported(const struct outside_config *config, const struct qemu_info *info,
                                int version)
{
	if (!info->system_emulation)
		return "it samples machines (qemu-system-*), not single programs";
	if (info->system.max_vcpus < 1 || info->system.max_vcpus > (int)TR_MAX_CPUS)
		return "it samples guests of 1 to 256 vCPUs";
	if (config->callers == OUTSIDE_CALLERS_FP && version < REQUEST_REGISTERS)
		return "--call-graph fp needs a QEMU whose plugins can read registers and memory: "
		       "9.2 or later (Debian 13 has 10.0). Use --call-graph calls";
	if (config->callers == OUTSIDE_CALLERS_CALLS && version > 1 && config->one_thread &&
	    info->system.max_vcpus > 1)
		return "--call-graph calls must know which vCPU executes, and this QEMU does not "
		       "tell if it runs several on one thread (-icount). Use --call-graph fp";
	return NULL;
}
