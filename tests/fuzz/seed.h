/* SPDX-License-Identifier: MIT */
/*
 * Seeds: inputs to begin with. If there is a writer of the format, the fuzz target makes its seeds
 * with it, because seeds in the tree become invalid when the format changes. An invalid seed is
 * useless, so each must be read to its end.
 */
#ifndef TESTS_FUZZ_SEED_H
#define TESTS_FUZZ_SEED_H

#include <dirent.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Corpus directory number n of the command line, from 0; NULL after the last one. The fuzzer adds
 * to the first directory; the second is in the tree (tests/check). */
static inline const char *fuzz_corpus(int argc, char **argv, int n)
{
	for (int i = 1; i < argc; i++) {
		struct stat stat_of;

		if (argv[i][0] != '-' && !stat(argv[i], &stat_of) && S_ISDIR(stat_of.st_mode) &&
		    !n--)
			return argv[i];
	}
	return NULL;
}

/* Write a valid input into the first corpus directory, if there is one. For LLVMFuzzerInitialize(),
 * which runs before the corpus is read. */
static inline void fuzz_seed(int argc, char **argv, const char *name, const void *bytes,
                             size_t size)
{
	const char *corpus = fuzz_corpus(argc, argv, 0);
	char path[4096];
	FILE *file;

	if (!corpus)
		return;
	snprintf(path, sizeof(path), "%s/seed-%s", corpus, name);
	file = fopen(path, "w");
	if (!file || fwrite(bytes, 1, size, file) != size || fclose(file))
		abort();
}

/* Whether the input of this name is valid and read to its end. */
typedef bool (*fuzz_is_good_fn)(const char *name, const uint8_t *bytes, size_t size);

static inline void fuzz_require_seed(const char *path, const char *name, fuzz_is_good_fn is_good)
{
	FILE *file = fopen(path, "r");
	uint8_t *bytes = malloc(1 << 20);
	size_t size;

	if (!file || !bytes)
		abort();
	size = fread(bytes, 1, 1 << 20, file);
	if (!is_good(name, bytes, size)) {
		fprintf(stderr, "%s: a seed that is refused\n", path);
		_Exit(1);
	}
	free(bytes);
	fclose(file);
}

/* Exit if a seed in the tree is invalid. For LLVMFuzzerInitialize(). */
static inline void fuzz_require_seeds(int argc, char **argv, fuzz_is_good_fn is_good)
{
	const char *corpus = fuzz_corpus(argc, argv, 1);
	DIR *directory = corpus ? opendir(corpus) : NULL;
	const struct dirent *entry;
	char path[4096];

	while (directory && (entry = readdir(directory))) {
		if (entry->d_name[0] == '.')
			continue;
		snprintf(path, sizeof(path), "%s/%s", corpus, entry->d_name);
		fuzz_require_seed(path, entry->d_name, is_good);
	}
	if (directory)
		closedir(directory);
}

#endif
