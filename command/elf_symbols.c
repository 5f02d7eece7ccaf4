/* SPDX-License-Identifier: MIT */
#include "command/elf_symbols.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "command/elf_format.h"

struct symbol_file {
	const uint8_t *bytes;
	uint64_t size;
};

/* The bytes of a section. */
struct symbol_bytes {
	const uint8_t *bytes;
	uint64_t size;
};

/* Copies a structure, at any alignment. False: the file ends before the structure does. */
static bool symbols_get(const struct symbol_file *file, uint64_t offset, void *to, uint64_t size)
{
	if (offset > file->size || size > file->size - offset)
		return false;
	memcpy(to, file->bytes + offset, size);
	return true;
}

static bool symbols_section(const struct symbol_file *file, const struct elf_header *header,
                            unsigned index, struct elf_section_header *section)
{
	uint64_t at = (uint64_t)index * sizeof(*section);

	return index < header->shnum && header->shoff <= file->size &&
	       symbols_get(file, header->shoff + at, section, sizeof(*section)) &&
	       section->offset <= file->size && section->size <= file->size - section->offset;
}

/* Finds the first .symtab and its string table. */
static bool symbols_find(const struct symbol_file *file, struct symbol_bytes *symbols,
                         struct symbol_bytes *names)
{
	struct elf_section_header section, strings;
	struct elf_header header;

	if (!symbols_get(file, 0, &header, sizeof(header)) || header.magic != ELF_MAGIC ||
	    header.class != ELFCLASS64 || header.data != ELFDATA2LSB ||
	    header.shentsize != sizeof(section))
		return false;
	for (unsigned i = 0; i < header.shnum; i++) {
		if (!symbols_section(file, &header, i, &section) || section.type != SHT_SYMTAB)
			continue;
		if (!symbols_section(file, &header, section.link, &strings) ||
		    strings.type != SHT_STRTAB)
			return false;
		*symbols = (struct symbol_bytes){ file->bytes + section.offset, section.size };
		*names = (struct symbol_bytes){ file->bytes + strings.offset, strings.size };
		return true;
	}
	return false;
}

static bool symbols_is_named(const struct symbol_bytes *names, uint32_t at)
{
	return at < names->size && names->bytes[at] != 0 &&
	       memchr(names->bytes + at, 0, names->size - at);
}

int elf_symbols(const void *file, uint64_t size, elf_symbol_fn take, void *context)
{
	const struct symbol_file whole = { file, size };
	struct symbol_bytes symbols, names;
	struct elf_symbol symbol;
	int code = 0;

	if (!symbols_find(&whole, &symbols, &names))
		return -ENOENT;
	for (uint64_t at = 0; code == 0 && symbols.size - at >= sizeof(symbol);
	     at += sizeof(symbol)) {
		memcpy(&symbol, symbols.bytes + at, sizeof(symbol));
		if ((symbol.info & 15) == STT_FUNC && symbol.section != SHN_UNDEF &&
		    symbols_is_named(&names, symbol.name))
			code = take(context, symbol.value, symbol.size,
			            (const char *)names.bytes + symbol.name);
	}
	return code;
}
