/* SPDX-License-Identifier: MIT */
/* A PE image of three sections as a file, the same as a loader places it, and a check of all its
 * parts. For tests and fuzzers. */
#ifndef TESTS_UNIT_LIB_PARSE_PE_FILE_H
#define TESTS_UNIT_LIB_PARSE_PE_FILE_H

#include <stdlib.h>
#include <string.h>

#include "lib/parse/pe_image.h"

#define PE_FILE_SIZE  0x600U
#define PE_FILE_SPAN  0x4000U /* SizeOfImage */
#define PE_FILE_PATH  "/b/X64/Demo/DEBUG/Demo.dll"
#define PE_FILE_TEXT  0x1000U /* RVAs */
#define PE_FILE_DATA  0x2000U
#define PE_FILE_RELOC 0x3000U
#define PE_FILE_DEBUG (PE_FILE_DATA + 0x40) /* its directory of two entries */
#define PE_FILE_ENTRY (PE_FILE_TEXT + 0x10)

/* Offset in the file */
#define PE_FILE_COFF     0x44U
#define PE_FILE_OPTIONAL 0x58U
#define PE_FILE_SECTIONS 0x148U
#define PE_FILE_AT_TEXT  0x200U
#define PE_FILE_AT_DATA  0x400U
#define PE_FILE_AT_RELOC 0x500U

struct pe_file {
	uint8_t bytes[PE_FILE_SIZE];
};

static inline void pe_file_put(struct pe_file *file, uint32_t at, uint64_t value, unsigned size)
{
	memcpy(file->bytes + at, &value, size);
}

static inline void pe_file_section(struct pe_file *file, unsigned number, const char *name,
                                   const uint32_t words[4], uint32_t flags)
{
	uint32_t at = PE_FILE_SECTIONS + 40 * number;

	memcpy(file->bytes + at, name, strlen(name));
	memcpy(file->bytes + at + 8, words, 16); /* VirtualSize, RVA, size and offset in the file */
	pe_file_put(file, at + 36, flags, 4);
}

/* Two relocations at adjacent odd places, and one before them: not sorted, as EDK2's GenFw leaves
 * them. */
static inline void pe_file_relocations(struct pe_file *file)
{
	static const uint16_t entries[] = { 0xa000 | 0x83, 0xa000 | 0x8b, 0xa000 | 0x20, 0 };
	static const uint64_t values[] = { PE_FILE_DATA + 4, PE_FILE_TEXT + 1, PE_FILE_DATA };

	pe_file_put(file, PE_FILE_AT_RELOC, PE_FILE_TEXT, 4);
	pe_file_put(file, PE_FILE_AT_RELOC + 4, 8 + sizeof(entries), 4);
	memcpy(file->bytes + PE_FILE_AT_RELOC + 8, entries, sizeof(entries));
	for (unsigned i = 0; i < 3; i++)
		pe_file_put(file, PE_FILE_AT_TEXT + (entries[i] & 0xfff), values[i], 8);
}

/* CodeView's entry has this index; the other entry is of another kind. */
static inline void pe_file_debug(struct pe_file *file, unsigned number, const char magic[4],
                                 const void *words, uint32_t words_size, const char *path)
{
	uint32_t entry = PE_FILE_AT_DATA + 0x40 + 28 * number, rva = PE_FILE_DATA + 0x80;
	uint32_t at;

	rva += 0x40 * number;
	at = rva - PE_FILE_DATA + PE_FILE_AT_DATA;
	pe_file_put(file, entry + 12, 2, 4); /* CODEVIEW */
	pe_file_put(file, entry + 16, 4 + words_size + strlen(path) + 1, 4);
	pe_file_put(file, entry + 20, rva, 4);
	memcpy(file->bytes + at, magic, 4);
	memcpy(file->bytes + at + 4, words, words_size);
	memcpy(file->bytes + at + 4 + words_size, path, strlen(path) + 1);
}

static inline void pe_file_make(struct pe_file *file)
{
	static const uint32_t text[] = { 0x1f5, PE_FILE_TEXT, 0x200, PE_FILE_AT_TEXT };
	static const uint32_t data[] = { 0x900, PE_FILE_DATA, 0x100, PE_FILE_AT_DATA };
	static const uint32_t reloc[] = { 0x10, PE_FILE_RELOC, 0x100, PE_FILE_AT_RELOC };
	static const uint32_t nothing[3];

	memset(file, 0, sizeof(*file));
	memcpy(file->bytes, "MZ", 2);
	pe_file_put(file, 0x3c, 0x40, 4);
	memcpy(file->bytes + 0x40, "PE", 2);
	pe_file_put(file, PE_FILE_COFF, PE_MACHINE_AMD64 | 3U << 16, 4);
	pe_file_put(file, PE_FILE_COFF + 16, 240, 2);
	pe_file_put(file, PE_FILE_OPTIONAL, 0x20b, 2);
	pe_file_put(file, PE_FILE_OPTIONAL + 16, PE_FILE_ENTRY, 4);
	pe_file_put(file, PE_FILE_OPTIONAL + 56, PE_FILE_SPAN, 4);
	pe_file_put(file, PE_FILE_OPTIONAL + 60, 0x200, 4);
	pe_file_put(file, PE_FILE_OPTIONAL + 68, PE_EFI_BOOT_SERVICE_DRIVER, 2);
	pe_file_put(file, PE_FILE_OPTIONAL + 108, 16, 4);
	pe_file_put(file, PE_FILE_OPTIONAL + 112 + 8 * 5, PE_FILE_RELOC, 4);
	pe_file_put(file, PE_FILE_OPTIONAL + 112 + 8 * 5 + 4, 0x10, 4);
	pe_file_put(file, PE_FILE_OPTIONAL + 112 + 8 * 6, PE_FILE_DEBUG, 4);
	pe_file_put(file, PE_FILE_OPTIONAL + 112 + 8 * 6 + 4, 2 * 28, 4);
	pe_file_section(file, 0, ".text", text, 0x60000020);
	pe_file_section(file, 1, ".data", data, 0xc0000040);
	pe_file_section(file, 2, ".reloc", reloc, 0x42000040);
	for (uint32_t i = 0; i < 0x200; i++)
		file->bytes[PE_FILE_AT_TEXT + i] = (uint8_t)(i * 7 + i / 256);
	pe_file_relocations(file);
	pe_file_debug(file, 1, "NB10", nothing, sizeof(nothing), PE_FILE_PATH);
}

/* The image as a loader places it at an address, in PE_FILE_SPAN bytes. */
static inline void pe_file_load(const struct pe_file *file, uint8_t *memory, uint64_t address)
{
	memset(memory, 0, PE_FILE_SPAN);
	memcpy(memory, file->bytes, 0x200);
	memcpy(memory + PE_FILE_TEXT, file->bytes + PE_FILE_AT_TEXT, 0x1f5);
	memcpy(memory + PE_FILE_DATA, file->bytes + PE_FILE_AT_DATA, 0x100);
	memcpy(memory + PE_FILE_RELOC, file->bytes + PE_FILE_AT_RELOC, 0x10);
	for (unsigned i = 0; i < 3; i++) {
		uint16_t entry;
		uint64_t value;

		memcpy(&entry, memory + PE_FILE_RELOC + 8 + 2 * i, sizeof(entry));
		memcpy(&value, memory + PE_FILE_TEXT + (entry & 0xfff), sizeof(value));
		value += address;
		memcpy(memory + PE_FILE_TEXT + (entry & 0xfff), &value, sizeof(value));
	}
	memcpy(memory + PE_FILE_OPTIONAL + 24, &address, sizeof(address));
}

static inline void pe_file_inside(const struct pe_image *image, const void *bytes, uint64_t size)
{
	const uint8_t *at = bytes;

	if (at && (at < image->bytes || size > image->size ||
	           (uint64_t)(at - image->bytes) > image->size - size))
		abort();
}

/* Query all properties of an image; a wrong answer ends the program. */
static inline void pe_file_look(const struct pe_image *image)
{
	uint8_t id[PE_BUILD_ID], again[PE_BUILD_ID];
	struct pe_section section;
	struct pe_debug debug;
	uint32_t at = 0, before = 0;
	char name[16];

	for (uint32_t i = 0; pe_section(image, i, &section); i++) {
		if (i >= PE_MAX_SECTIONS || strlen(section.name) > 8)
			abort();
		pe_file_inside(image, pe_at(image, section.rva, section.size), section.size);
	}
	while (pe_debug_next(image, &at, &debug)) {
		if (at <= before || debug.kind == PE_DEBUG_NONE)
			abort();
		before = at;
		pe_file_inside(image, debug.path, debug.path_size);
		if (memchr(debug.path, 0, debug.path_size) ||
		    pe_module_name(debug.path, debug.path_size, name, sizeof(name)) != strlen(name))
			abort();
	}
	if (pe_build_id(image, id) != pe_build_id(image, again) ||
	    memcmp(id, again, sizeof(id)) != 0)
		abort();
}

#endif
