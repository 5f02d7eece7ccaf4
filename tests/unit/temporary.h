/* SPDX-License-Identifier: MIT */
/* The directory for tests' temporary files: TMPDIR, or /tmp. */
#ifndef TESTS_UNIT_TEMPORARY_H
#define TESTS_UNIT_TEMPORARY_H

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* A path with a name that no other process uses; an existing file is not removed. */
static inline void temporary_path(char to[static PATH_MAX], const char *name)
{
	const char *directory = getenv("TMPDIR");

	if (!directory || !*directory)
		directory = "/tmp";
	if (snprintf(to, PATH_MAX, "%s/bareperf-%s-%d", directory, name, (int)getpid()) >= PATH_MAX)
		abort();
}

#endif
