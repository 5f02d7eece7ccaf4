/* SPDX-License-Identifier: MIT */
/*
 * Prints the identity of an image in memory, as a loader places its file at an address: pe_identity
 * FILE ADDRESS prints the build-id and SizeOfImage.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fcntl.h>

#include "lib/parse/pe_image.h"

static void load(const struct pe_image *file, uint8_t *memory, uint64_t address)
{
	struct pe_relocations walk = { 0, 0, 0 };
	struct pe_section section;
	uint64_t rva, value;
	uint32_t size;

	memcpy(memory, file->bytes, file->headers_size);
	for (uint32_t i = 0; pe_section(file, i, &section); i++)
		memcpy(memory + section.rva, file->bytes + section.file_offset,
		       section.size < section.file_size ? section.size : section.file_size);
	while (pe_relocation_next(file, &walk, &rva, &size)) {
		memcpy(&value, memory + rva, sizeof(value));
		value += address - file->image_base;
		memcpy(memory + rva, &value, size);
	}
}

int main(int argc, char **argv)
{
	int fd = argc == 3 ? open(argv[1], O_RDONLY) : -1;
	struct pe_image file, image;
	uint8_t id[PE_BUILD_ID], *memory;
	bool has;
	const char *why = "cannot be read";
	struct stat about;
	void *bytes;

	if (fd < 0 || fstat(fd, &about))
		return 2;
	bytes = mmap(NULL, (size_t)about.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (bytes == MAP_FAILED || pe_parse(&file, bytes, (uint64_t)about.st_size, PE_FILE, &why)) {
		fprintf(stderr, "%s: %s\n", argv[1], why);
		return 1;
	}
	memory = calloc(1, file.image_size);
	if (!memory)
		return 1;
	load(&file, memory, strtoull(argv[2], NULL, 0));
	has = !pe_parse(&image, memory, file.image_size, PE_MAPPED, &why) &&
	      pe_build_id(&image, id);
	for (unsigned i = 0; has && i < PE_BUILD_ID; i++)
		printf("%02x", id[i]);
	printf(" %u\n", file.image_size);
	free(memory);
	return !has;
}
