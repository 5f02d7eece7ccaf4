/* SPDX-License-Identifier: MIT */
#include "host-tools/pe/pe_functions.h"

#include <errno.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>

#include "host-tools/pe/alias.h"
#include "host-tools/pe/pe_layout.h"
#include "host-tools/util/array.h"

/* Find the code section that contains an RVA; false: none does. */
static bool find_code(const struct pe_image *image, int64_t rva, struct pe_section *section)
{
	for (uint32_t i = 0; pe_section(image, i, section); i++) {
		if (pe_section_is_code(section) && rva >= section->rva &&
		    rva - section->rva < section->size)
			return true;
	}
	return false;
}

/* Longer names are cut: in a malformed file many symbols may share one long name, which is copied
 * for each of them. */
#define NAME_LONGEST 512U

/* A symbol that may be a function's. */
struct candidate {
	int64_t rva;
	uint64_t size; /* 0: up to the next function */
	unsigned binding;
	const char *name;
};

static int add_function(struct pe_functions *functions, const struct pe_image *image,
                        const struct candidate *candidate)
{
	struct pe_section section;
	struct pe_function *all;
	uint64_t left;

	if (!*candidate->name || alias_is_mapping(candidate->name) ||
	    !find_code(image, candidate->rva, &section))
		return 0;
	left = section.rva + (uint64_t)section.size - (uint64_t)candidate->rva;
	if (!ARRAY_ROOM(functions->all, functions->count))
		return -ENOMEM;
	all = &functions->all[functions->count];
	*all = (struct pe_function){
		.rva = (uint32_t)candidate->rva,
		.size = (uint32_t)(candidate->size < left ? candidate->size : left),
		.name = strndup(candidate->name, NAME_LONGEST),
		.rank = alias_rank(candidate->size, candidate->binding, candidate->name),
		.order = (uint32_t)functions->count,
	};
	functions->count += !!all->name;
	return all->name ? 0 : -ENOMEM;
}

/* Sort by address. Of several functions at one address, the preferred one comes first. */
static int compare_functions(const void *a, const void *b)
{
	const struct pe_function *left = a, *right = b;

	if (left->rva != right->rva)
		return left->rva < right->rva ? -1 : 1;
	if (left->rank != right->rank)
		return left->rank > right->rank ? -1 : 1;
	return left->order < right->order ? -1 : 1;
}

/* Keep one name per place. Functions without a size, from assembly, end where the next one begins.
 * */
static int finish(struct pe_functions *functions, const struct pe_image *image)
{
	struct pe_section section;
	size_t kept = 0;

	if (functions->count)
		qsort(functions->all, functions->count, sizeof(*functions->all), compare_functions);
	for (size_t i = 0; i < functions->count; i++) {
		if (kept && functions->all[i].rva == functions->all[kept - 1].rva)
			free(functions->all[i].name);
		else
			functions->all[kept++] = functions->all[i];
	}
	functions->count = kept;
	for (size_t i = 0; i < kept; i++) {
		struct pe_function *function = &functions->all[i];
		uint32_t room = UINT32_MAX;

		if (find_code(image, function->rva, &section))
			room = section.rva + section.size - function->rva;
		if (i + 1 < kept && function[1].rva - function->rva < room)
			room = function[1].rva - function->rva;
		if (!function->size || function->size > room)
			function->size = room;
	}
	return kept ? 0 : -ENODATA;
}

/* Whether it is a function, or a global symbol of assembly, which has no type. */
static bool is_function(const GElf_Sym *symbol)
{
	unsigned type = GELF_ST_TYPE(symbol->st_info), bind = GELF_ST_BIND(symbol->st_info);

	if (symbol->st_shndx == SHN_UNDEF || symbol->st_shndx >= SHN_LORESERVE)
		return false;
	return type == STT_FUNC || (type == STT_NOTYPE && bind != STB_LOCAL);
}

static int add_table(struct pe_functions *functions, const struct pe_image *image, Elf *elf,
                     Elf_Scn *table, int64_t moved)
{
	Elf_Data *data = elf_getdata(table, NULL);
	GElf_Shdr header;
	GElf_Sym symbol;
	int code = 0;

	if (!gelf_getshdr(table, &header))
		return 0;
	for (int i = 0; !code && data && gelf_getsym(data, i, &symbol); i++) {
		const char *name = elf_strptr(elf, header.sh_link, symbol.st_name);

		const struct candidate candidate = { (int64_t)symbol.st_value + moved,
			                             symbol.st_size, GELF_ST_BIND(symbol.st_info),
			                             name };

		if (name && is_function(&symbol) && symbol.st_value < UINT32_MAX)
			code = add_function(functions, image, &candidate);
	}
	return code;
}

static int add_tables(struct pe_functions *functions, const struct pe_image *image, Elf *elf,
                      int64_t moved)
{
	Elf_Scn *table = NULL;
	GElf_Shdr header;
	int code = 0;

	while (!code && (table = elf_nextscn(elf, table))) {
		if (gelf_getshdr(table, &header) && header.sh_type == SHT_SYMTAB)
			code = add_table(functions, image, elf, table, moved);
	}
	return code;
}

int pe_functions_of_elf(struct pe_functions *functions, const struct pe_image *image, Elf *elf,
                        int64_t *moved, struct error *error)
{
	int code = pe_layout_check(image, elf, moved, error);

	if (!code)
		code = add_tables(functions, image, elf, *moved);
	if (!code)
		code = finish(functions, image);
	if (code == -ENODATA)
		error_set(error, code, "it has no functions' names");
	return code;
}

/* ---- COFF ---- */

#define COFF_SYMBOL   18U
#define COFF_EXTERNAL 2U
#define COFF_STATIC   3U
#define COFF_WEAK     105U

struct coff_symbol {
	uint32_t value;
	int16_t section; /* from 1; 0 and less: in no section */
	uint16_t type;
	uint8_t class, auxiliary;
};

/* Read an entry, whose fields are not aligned. */
static struct coff_symbol take_symbol(const uint8_t *at)
{
	struct coff_symbol symbol;

	memcpy(&symbol.value, at + 8, 4);
	memcpy(&symbol.section, at + 12, 2);
	memcpy(&symbol.type, at + 14, 2);
	symbol.class = at[16];
	symbol.auxiliary = at[17];
	return symbol;
}

/* A name of up to 8 characters is in the entry, a longer one in the strings after the table. */
static void take_name(const struct pe_image *image, uint64_t strings, const uint8_t *at,
                      char name[NAME_LONGEST + 1])
{
	const char *text = (const char *)at;
	uint64_t most = 8;
	uint32_t words[2];

	memcpy(words, at, sizeof(words));
	if (!words[0]) {
		text = (const char *)image->bytes + strings + words[1];
		most = words[1] < image->size - strings ? image->size - strings - words[1] : 0;
	}
	if (most > NAME_LONGEST)
		most = NAME_LONGEST;
	most = most ? strnlen(text, most) : 0;
	memcpy(name, text, most);
	name[most] = 0;
}

/* Whether it is a function. A section's own symbol has the section's name, which begins with a dot.
 * Symbols that objcopy made from an ELF file are not marked as functions, so all symbols in code
 * count. */
static bool is_coff_function(const struct coff_symbol *symbol, const char *name)
{
	return symbol->section > 0 && *name != '.' &&
	       (symbol->class == COFF_STATIC || symbol->class == COFF_EXTERNAL ||
	        symbol->class == COFF_WEAK);
}

static unsigned coff_binding(const struct coff_symbol *symbol)
{
	if (symbol->class == COFF_WEAK)
		return STB_WEAK;
	return symbol->class == COFF_EXTERNAL ? STB_GLOBAL : STB_LOCAL;
}

int pe_functions_of_coff(struct pe_functions *functions, const struct pe_image *image)
{
	uint64_t table = image->symbols;
	uint64_t strings = table + (uint64_t)image->symbol_count * COFF_SYMBOL;
	char name[NAME_LONGEST + 1];
	struct pe_section section;
	int code = 0;

	if (image->form != PE_FILE || !image->symbol_count || strings > image->size)
		return -ENODATA;
	for (uint64_t i = 0; !code && i < image->symbol_count; i++) {
		const uint8_t *at = image->bytes + table + i * COFF_SYMBOL;
		struct coff_symbol symbol = take_symbol(at);

		take_name(image, strings, at, name);
		if (is_coff_function(&symbol, name) &&
		    pe_section(image, (uint32_t)symbol.section - 1, &section) &&
		    symbol.value < section.size) {
			const struct candidate candidate = { (int64_t)section.rva + symbol.value, 0,
				                             coff_binding(&symbol), name };

			code = add_function(functions, image, &candidate);
		}
		i += symbol.auxiliary;
	}
	return code ? code : finish(functions, image);
}

void pe_functions_free(struct pe_functions *functions)
{
	for (size_t i = 0; i < functions->count; i++)
		free(functions->all[i].name);
	free(functions->all);
	*functions = (struct pe_functions){ 0 };
}
