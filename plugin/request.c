/* SPDX-License-Identifier: MIT */
#include "plugin/request.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

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

const char *request_unsupported(const struct outside_config *config, const struct qemu_info *info,
                                int version)
{
	if (!info->system_emulation)
		return "it samples machines (qemu-system-*), not single programs";
	if (info->system.max_vcpus < 1 || info->system.max_vcpus > (int)TR_MAX_CPUS)
		return "it samples guests of 1 to 256 vCPUs";
	if (config->callchains && version < 4)
		return "-g needs a QEMU whose plugins can read registers and memory: 9.2 or later "
		       "(Debian 13 has 10.0). Without -g this one samples, too";
	return NULL;
}
