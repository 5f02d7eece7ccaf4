/* SPDX-License-Identifier: MIT */
/* Where tests leave files for as long as they run: in TMPDIR, or else in /tmp. */
#ifndef TESTS_UNIT_TEMPORARY_H
#define TESTS_UNIT_TEMPORARY_H

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* A path that no other process takes, nor another name; what was there is not removed. */
static inline void temporary_path(char to[static PATH_MAX], const char *name)
{
	const char *directory = getenv("TMPDIR");

	if (!directory || !*directory)
		directory = "/tmp";
	if (snprintf(to, PATH_MAX, "%s/bareperf-%s-%d", directory, name, (int)getpid()) >= PATH_MAX)
		abort();
}

#endif
