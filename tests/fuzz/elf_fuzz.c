/* SPDX-License-Identifier: MIT */
/*
 * The ELF loader on any bytes: everything that elf_parse() accepts can be placed and relocated
 * inside the memory that the image requests. First byte even: the rest is the file. Odd: the rest
 * are changes to a valid file (tests/fuzz/changes.h).
 */
#include <stdlib.h>

#include "command/elf.h"
#include "tests/fuzz/changes.h"
#include "tests/fuzz/seed.h"
#include "tests/unit/command/elf_file.h"

#define MOST (16U << 20) /* limit of an image's size, for speed */

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Whether the loader accepted it. */
static bool load(const void *file, size_t size)
{
	struct elf_image image = { 0 };
	struct elf_error error = { NULL, 0 };
	uint8_t *memory;

	if (elf_parse(&image, file, size, EM_X86_64, &error)) {
		if (!error.what)
			abort();
		return false;
	}
	if (image.build_id_size > ELF_MAX_BUILD_ID || image.high <= image.low ||
	    image.low % ELF_PAGE || image.high % ELF_PAGE || image.entry < image.low ||
	    image.entry >= image.high)
		abort();
	if (image.high - image.low > MOST)
		return true;
	memory = malloc(image.high - image.low);
	elf_place(&image, file, memory, false);
	elf_place(&image, file, memory, true);
	elf_relocate(&image, file, memory, 0x123456000);
	free(memory);
	return true;
}

static bool load_changed(const uint8_t *changes, size_t size)
{
	static struct elf_file good;

	elf_file_make(&good, EM_X86_64);
	fuzz_change(&good, sizeof(good), changes, size);
	return load(&good, sizeof(good));
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	const uint8_t none = 1;

	if (!load_changed(NULL, 0))
		abort();
	fuzz_seed(*argc, *argv, "good", &none, 1);
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size && data[0] & 1)
		load_changed(data + 1, size - 1);
	else if (size)
		load(data + 1, size - 1);
	return 0;
}
