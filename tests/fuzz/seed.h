/* SPDX-License-Identifier: MIT */
/*
 * Inputs that a fuzz target makes for itself, with the present writer: ones that lie in the tree
 * grow old, and are refused at their first word when a format has changed.
 */
#ifndef TESTS_FUZZ_SEED_H
#define TESTS_FUZZ_SEED_H

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

/* Write it into the first corpus directory of the command line, if there is one. For
 * LLVMFuzzerInitialize(), which runs before the corpus is read. */
static inline void fuzz_seed(int argc, char **argv, const char *name, const void *bytes,
                             size_t size)
{
	for (int i = 1; i < argc; i++) {
		struct stat stat_of;
		char path[512];
		FILE *file;

		if (argv[i][0] == '-' || stat(argv[i], &stat_of) || !S_ISDIR(stat_of.st_mode))
			continue;
		snprintf(path, sizeof(path), "%s/seed-%s", argv[i], name);
		file = fopen(path, "w");
		if (!file || fwrite(bytes, 1, size, file) != size || fclose(file))
			abort();
		return;
	}
}

#endif
