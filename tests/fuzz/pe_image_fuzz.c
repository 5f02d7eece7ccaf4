/* SPDX-License-Identifier: MIT */
/*
 * Images, and names of files in firmware volumes, with any bytes: nothing outside of them is read,
 * and the parsers end. The first byte selects the kind. Its two lowest bits: 0: an image's file, 1:
 * an image in memory, 2: a file's name in a volume, 3: changes to a valid image's file
 * (tests/fuzz/changes.h). The next bit: a list of hand-off blocks.
 */
#include <stdlib.h>

#include "lib/parse/ffs_section.h"
#include "lib/parse/hob.h"
#include "lib/parse/pe_frames.h"
#include "tests/fuzz/changes.h"
#include "tests/fuzz/seed.h"
#include "tests/unit/lib/parse/pe_file.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Whether it is an image with an identity. */
static bool look_at_image(const uint8_t *bytes, size_t size, enum pe_form form)
{
	const char *why = NULL;
	struct pe_image image;
	uint8_t id[PE_BUILD_ID];

	if (pe_parse(&image, bytes, size, form, &why)) {
		if (!why)
			abort();
		return false;
	}
	pe_file_look(&image);
	pe_frames(&image);
	return pe_build_id(&image, id);
}

/* Whether it is a valid name. */
static bool look_at_name(const uint8_t *bytes, size_t size)
{
	char name[32];

	if (ffs_ui_text(bytes, size, name, sizeof(name)) != strlen(name))
		abort();
	return *name;
}

static bool look_at(uint8_t kind, const uint8_t *bytes, size_t size)
{
	static struct pe_file good;
	uint64_t low, high;

	if (kind & 4)
		return hob_stack(bytes, size, &low, &high) && high > low;
	switch (kind & 3) {
	case 0:
		return look_at_image(bytes, size, PE_FILE);
	case 1:
		return look_at_image(bytes, size, PE_MAPPED);
	case 2:
		return look_at_name(bytes, size);
	default:
		pe_file_make(&good);
		fuzz_change(&good, sizeof(good), bytes, size);
		return look_at_image(good.bytes, sizeof(good), PE_FILE);
	}
}

static bool is_good(const char *name, const uint8_t *bytes, size_t size)
{
	(void)name;
	return size && look_at(bytes[0], bytes + 1, size - 1);
}

/* A seed: its kind, then its bytes. */
static void seed(int argc, char **argv, const char *name, uint8_t kind, const void *bytes,
                 size_t size)
{
	uint8_t *input = malloc(size + 1);

	if (!input)
		abort();
	input[0] = kind;
	memcpy(input + 1, bytes, size);
	if (!look_at(kind, bytes, size))
		abort();
	fuzz_seed(argc, argv, name, input, size + 1);
	free(input);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	static const uint16_t name[] = { 'F', 'a', 't', 0 };
	static uint8_t memory[PE_FILE_SPAN];
	struct pe_file file;

	pe_file_make(&file);
	pe_file_load(&file, memory, 0x7e000000);
	seed(*argc, *argv, "file", 0, &file, sizeof(file));
	seed(*argc, *argv, "memory", 1, memory, sizeof(memory));
	seed(*argc, *argv, "name", 2, name, sizeof(name));
	seed(*argc, *argv, "changes", 3, "", 0);
	fuzz_require_seeds(*argc, *argv, is_good);
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size)
		look_at(data[0], data + 1, size - 1);
	return 0;
}
