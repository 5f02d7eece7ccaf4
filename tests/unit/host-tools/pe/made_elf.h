/* SPDX-License-Identifier: MIT */
/* The image of tests/unit/lib/parse/pe_file.h with the ELF file that is made of it, in memory, so
 * that tests can change both. For tests and fuzzers. */
#ifndef TESTS_UNIT_HOST_TOOLS_PE_MADE_ELF_H
#define TESTS_UNIT_HOST_TOOLS_PE_MADE_ELF_H

#include <libelf.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "host-tools/pe/pe_elf.h"
#include "tests/unit/lib/parse/pe_file.h"

#define MADE_ELF_CODE   0x1f5U /* bytes, at PE_FILE_TEXT */
#define MADE_ELF_FIRST  (PE_FILE_TEXT + 0x10)
#define MADE_ELF_SECOND (PE_FILE_TEXT + 0x40)

struct made_elf {
	struct pe_file file;
	struct pe_image image; /* of it */
	uint8_t *bytes;        /* bytes of the ELF file */
	size_t size;
	Elf *elf; /* opened by made_elf_open() */
};

static inline void made_elf_parse(struct made_elf *made)
{
	const char *why;

	if (pe_parse(&made->image, &made->file, sizeof(made->file), PE_FILE, &why))
		abort();
}

/* Write the ELF file of the image in made->file; two functions of 16 bytes. */
static inline void made_elf_write(struct made_elf *made)
{
	static const uint8_t id[PE_BUILD_ID] = { 1 };
	struct pe_function all[] = {
		{ .rva = MADE_ELF_FIRST, .size = 16, .name = (char[]){ "First" } },
		{ .rva = MADE_ELF_SECOND, .size = 16, .name = (char[]){ "Second" } }
	};
	const struct pe_functions functions = { all, 2 };
	int fd = memfd_create("elf", 0);
	struct error error;
	struct stat about;

	made_elf_parse(made);
	if (pe_elf_write(fd, &made->image, &functions, NULL, id, &error) || fstat(fd, &about))
		abort();
	made->size = (size_t)about.st_size;
	made->bytes = mmap(NULL, made->size, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
	if (made->bytes == MAP_FAILED)
		abort();
	close(fd);
}

static inline void made_elf_make(struct made_elf *made)
{
	memset(made, 0, sizeof(*made));
	elf_version(EV_CURRENT);
	pe_file_make(&made->file);
	made_elf_write(made);
}

static inline Elf64_Ehdr *made_elf_header(const struct made_elf *made)
{
	return (Elf64_Ehdr *)(void *)made->bytes;
}

/* The first section of a type (SHT_*) that is not empty. */
static inline Elf64_Shdr *made_elf_section(const struct made_elf *made, uint32_t type)
{
	Elf64_Shdr *sections = (Elf64_Shdr *)(void *)(made->bytes + made_elf_header(made)->e_shoff);

	for (unsigned i = 0; i < made_elf_header(made)->e_shnum; i++) {
		if (sections[i].sh_type == type)
			return &sections[i];
	}
	abort();
}

/* Turn its note into a section for debuggers. */
static inline Elf64_Shdr *made_elf_debug(const struct made_elf *made)
{
	Elf64_Shdr *note = made_elf_section(made, SHT_NOTE);
	char *name = memmem(made->bytes, made->size, ".note.gnu.build-id", 18);

	if (!name)
		abort();
	strcpy(name, ".debug_info");
	note->sh_type = SHT_PROGBITS;
	return note;
}

/* Its symbols; the functions start at number 1. */
static inline Elf64_Sym *made_elf_symbols(const struct made_elf *made)
{
	return (Elf64_Sym *)(void *)(made->bytes + made_elf_section(made, SHT_SYMTAB)->sh_offset);
}

/* Open the present bytes. */
static inline Elf *made_elf_open(struct made_elf *made)
{
	elf_end(made->elf);
	made->elf = elf_memory((char *)made->bytes, made->size);
	return made->elf;
}

static inline void made_elf_free(struct made_elf *made)
{
	elf_end(made->elf);
	munmap(made->bytes, made->size);
}

#endif
