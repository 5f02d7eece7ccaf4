/* SPDX-License-Identifier: MIT */
/*
 * The loader on any bytes: whatever elf_parse() accepts can be placed and relocated inside the
 * memory that the image asks for. An even first byte: the rest is the file. An odd one: the rest
 * are changes to a good file, {offset, 2 bytes; value, 8 bytes}, so that the depths are reached.
 */
#include <stdlib.h>

#include "agent/parse/elf.h"
#include "tests/unit/agent/parse/elf_file.h"

#define MOST (16U << 20) /* bytes of an image that is worth the time */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void load(const void *file, size_t size)
{
	struct elf_image image = { 0 };
	struct elf_error error = { NULL, 0 };
	uint8_t *memory;

	if (elf_parse(&image, file, size, EM_X86_64, &error)) {
		if (!error.what)
			abort();
		return;
	}
	if (image.high <= image.low || image.low % ELF_PAGE || image.high % ELF_PAGE ||
	    image.entry < image.low || image.entry >= image.high)
		abort();
	if (image.high - image.low > MOST)
		return;
	memory = malloc(image.high - image.low);
	elf_place(&image, file, memory, false);
	elf_place(&image, file, memory, true);
	elf_relocate(&image, file, memory, 0x123456000);
	free(memory);
}

static void load_changed(const uint8_t *changes, size_t size)
{
	static struct elf_file good;

	elf_file_make(&good, EM_X86_64);
	for (; size >= 10; changes += 10, size -= 10) {
		size_t offset = (changes[0] | changes[1] << 8) % (sizeof(good) - 8);

		memcpy((uint8_t *)&good + offset, changes + 2, 8);
	}
	load(&good, sizeof(good));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size && data[0] & 1)
		load_changed(data + 1, size - 1);
	else if (size)
		load(data + 1, size - 1);
	return 0;
}
