/* SPDX-License-Identifier: MIT */
#include "host-tools/record/remote/remote.h"

#include <string.h>

bool remote_is_meant(int argc, char **argv)
{
	for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
		if (!strcmp(argv[i], "--channel") || !strncmp(argv[i], "--channel=", 10))
			return true;
	}
	return false;
}
