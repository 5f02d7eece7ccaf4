/* SPDX-License-Identifier: MIT */
/*
 * A list of functions with any content: what is accepted is sorted, does not overlap, lies within
 * the image, and each name is printable.
 */
#include <stdlib.h>

#include "host-tools/record/outside/outside_names.h"
#include "tests/fuzz/seed.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char good[] =
    "ffffffff81000000 T _stext\nffffffff81000040 t one.cold\n"
    "ffffffff81001000 W two\nffffffffc0000000 t there\t[ext4]\n";

static void check_names(const struct outside_names *names)
{
	uint64_t end = names->image.address + names->image.size;

	for (size_t i = 0; i < names->count; i++) {
		const struct outside_name *entry = &names->all[i];

		if (!entry->length || entry->address < names->image.address ||
		    entry->size > end - entry->address || !entry->size)
			abort();
		if (i && entry->address != entry[-1].address + entry[-1].size)
			abort();
		for (size_t k = 0; k < entry->length; k++) {
			if (entry->name[k] <= ' ' || entry->name[k] > '~')
				abort();
		}
	}
}

/* Whether it was accepted. */
static bool read_names(const char *text, size_t size)
{
	struct outside_names names = { 0 };
	struct error error = { "" };
	int code = outside_names_parse(&names, text, size, &error);

	if (code && !*error.text)
		abort();
	if (!code)
		check_names(&names);
	outside_names_free(&names);
	return !code;
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	if (!outside_names_are_meant(good, sizeof(good) - 1) || !read_names(good, sizeof(good) - 1))
		abort();
	fuzz_seed(*argc, *argv, "list", good, sizeof(good) - 1);
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text =
	    malloc(size ? size : 1); /* so that the sanitizer detects reads beyond its end */

	if (!text)
		abort();
	if (size)
		memcpy(text, data, size);
	outside_names_are_meant(text, size);
	read_names(text, size);
	free(text);
	return 0;
}
