/* SPDX-License-Identifier: MIT */
#include "command/elf_symbols.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "command/elf_format.h"
#include "lib/parse/bytes.h"

static bool symbols_section(const struct bytes *file, const struct elf_header *header,
                            unsigned index, struct elf_section_header *section)
{
	uint64_t at = (uint64_t)index * sizeof(*section);

	return index < header->shnum && header->shoff <= file->size &&
	       bytes_get(file, header->shoff + at, section, sizeof(*section)) &&
	       bytes_inside(section->offset, section->size, file->size);
}

/* Finds the first .symtab and its string table. */
static bool symbols_find(const struct bytes *file, struct bytes *symbols, struct bytes *names)
{
	struct elf_section_header section, strings;
	struct elf_header header;

	if (!bytes_get(file, 0, &header, sizeof(header)) || header.magic != ELF_MAGIC ||
	    header.class != ELFCLASS64 || header.data != ELFDATA2LSB ||
	    header.shentsize != sizeof(section))
		return false;
	for (unsigned i = 0; i < header.shnum; i++) {
		if (!symbols_section(file, &header, i, &section) || section.type != SHT_SYMTAB)
			continue;
		if (!symbols_section(file, &header, section.link, &strings) ||
		    strings.type != SHT_STRTAB)
			return false;
		*symbols = (struct bytes){ file->at + section.offset, section.size };
		*names = (struct bytes){ file->at + strings.offset, strings.size };
		return true;
	}
	return false;
}

static bool symbols_is_named(const struct bytes *names, uint32_t at)
{
	return at < names->size && names->at[at] != 0 &&
	       memchr(names->at + at, 0, names->size - at);
}

int elf_symbols(const void *file, uint64_t size, elf_symbol_fn take, void *context)
{
	const struct bytes whole = { file, size };
	struct bytes symbols, names;
	struct elf_symbol symbol;
	int code = 0;

	if (!symbols_find(&whole, &symbols, &names))
		return -ENOENT;
	for (uint64_t at = 0; code == 0 && symbols.size - at >= sizeof(symbol);
	     at += sizeof(symbol)) {
		memcpy(&symbol, symbols.at + at, sizeof(symbol));
		if ((symbol.info & 15) == STT_FUNC && symbol.section != SHN_UNDEF &&
		    symbols_is_named(&names, symbol.name))
			code = take(context, symbol.value, symbol.size,
			            (const char *)names.at + symbol.name);
	}
	return code;
}
