/* SPDX-License-Identifier: MIT */
/* A payload's archive of any bytes: each of its files lies within the archive, and the parser ends.
 * */
#include <stdlib.h>

#include "lib/cpio.h"
#include "tests/fuzz/seed.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The number of entries if the archive is valid; otherwise the error of cpio_next(). */
static int count_entries(const uint8_t *data, size_t size)
{
	struct cpio_entry entry;
	uint64_t at = 0, before = 0;
	int found, count = 0;

	while ((found = cpio_next(data, size, &at, &entry)) > 0) {
		const uint8_t *name = (const uint8_t *)entry.name;

		if (at <= before || name < data || name + strlen(entry.name) >= data + size ||
		    entry.bytes < data || entry.size > size ||
		    (size_t)(entry.bytes - data) > size - entry.size)
			abort();
		before = at;
		count++;
	}
	return found < 0 ? found : count;
}

/* Put an entry in the "newc" format; returns its length. */
static size_t put_entry(char *to, const char *name, const char *file, unsigned links)
{
	size_t name_size = strlen(name) + 1, size = strlen(file), at;

	at = (size_t)sprintf(to, "070701%08X%08X%08X%08X%08X%08X%08X%08X%08X%08X%08X%08X%08X", 1U,
	                     0100644U, 0U, 0U, links, 0U, (unsigned)size, 0U, 0U, 0U, 0U,
	                     (unsigned)name_size, 0U);
	memcpy(to + at, name, name_size);
	at = (at + name_size + 3) & ~(size_t)3;
	strcpy(to + at, file);
	return (at + size + 3) & ~(size_t)3;
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	char archive[1024] = { 0 };
	size_t size = put_entry(archive, "./payload.elf", "", 2);

	size += put_entry(archive + size, "etc/empty", "", 1);
	size += put_entry(archive + size, ".//again", "a program", 2);
	size += put_entry(archive + size, "TRAILER!!!", "", 1);
	if (count_entries((const uint8_t *)archive, size) != 3)
		abort();
	fuzz_seed(*argc, *argv, "archive", archive, size);
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	count_entries(data, size);
	return 0;
}
