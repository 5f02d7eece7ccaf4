/* SPDX-License-Identifier: MIT */
#include "host-tools/report/symbols/elf_functions.h"

#include <fcntl.h>
#include <gelf.h>
#include <libiberty/demangle.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Where in the file the byte of a link address lies; false if in no segment. */
static bool file_offset_of(Elf *elf, uint64_t address, uint64_t *offset)
{
	size_t count;
	GElf_Phdr phdr;

	if (elf_getphdrnum(elf, &count))
		return false;
	for (size_t i = 0; i < count && gelf_getphdr(elf, (int)i, &phdr); i++) {
		if (phdr.p_type == PT_LOAD && address >= phdr.p_vaddr &&
		    address - phdr.p_vaddr < phdr.p_filesz) {
			*offset = phdr.p_offset + (address - phdr.p_vaddr);
			return true;
		}
	}
	return false;
}

char *elf_functions_plain(const char *name)
{
	bool mangled = !strncmp(name, "_Z", 2) || !strncmp(name, "_R", 2);
	char *plain = mangled ? cplus_demangle(name, DMGL_AUTO) : NULL;

	return plain ? plain : strdup(name);
}

static void add_function(struct elf_functions *functions, Elf *elf, const GElf_Sym *symbol,
                         const char *name)
{
	struct function *all;
	uint64_t offset;

	if (GELF_ST_TYPE(symbol->st_info) != STT_FUNC || !name || !*name ||
	    !file_offset_of(elf, symbol->st_value, &offset))
		return;
	if (!(functions->count & (functions->count + 1))) { /* grows by doubling */
		all = realloc(functions->all, 2 * (functions->count + 1) * sizeof(*all));
		if (!all)
			return;
		functions->all = all;
	}
	functions->all[functions->count] =
	    (struct function){ offset, symbol->st_size, elf_functions_plain(name) };
	functions->count += !!functions->all[functions->count].name;
}

static void load_section(struct elf_functions *functions, Elf *elf, Elf_Scn *section)
{
	GElf_Shdr header;
	Elf_Data *data;
	GElf_Sym symbol;

	if (!gelf_getshdr(section, &header) || header.sh_type != SHT_SYMTAB)
		return;
	data = elf_getdata(section, NULL);
	for (int i = 0; data && gelf_getsym(data, i, &symbol); i++)
		add_function(functions, elf, &symbol,
		             elf_strptr(elf, header.sh_link, symbol.st_name));
}

static int compare_functions(const void *a, const void *b)
{
	const struct function *left = a, *right = b;

	return (left->offset > right->offset) - (left->offset < right->offset);
}

bool elf_functions_load(struct elf_functions *functions, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	Elf *elf = fd < 0 ? NULL : elf_begin(fd, ELF_C_READ_MMAP, NULL);
	bool is_elf = elf && elf_kind(elf) == ELF_K_ELF;
	Elf_Scn *section = NULL;

	while (is_elf && (section = elf_nextscn(elf, section)))
		load_section(functions, elf, section);
	if (functions->count)
		qsort(functions->all, functions->count, sizeof(*functions->all), compare_functions);
	elf_end(elf);
	if (fd >= 0)
		close(fd);
	return is_elf;
}

const struct function *elf_functions_find(const struct elf_functions *functions, uint64_t offset)
{
	size_t low = 0, high = functions->count;
	const struct function *function;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (functions->all[middle].offset <= offset)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low)
		return NULL;
	function = &functions->all[low - 1];
	return !function->size || offset - function->offset < function->size ? function : NULL;
}

uint64_t elf_functions_reach(const struct elf_functions *functions, const struct function *function)
{
	const struct function *end = functions->all + functions->count, *next = function;

	if (function->size)
		return function->size;
	while (next < end && next->offset == function->offset)
		next++;
	return next < end ? next->offset - function->offset : 0;
}

void elf_functions_free(struct elf_functions *functions)
{
	for (size_t i = 0; i < functions->count; i++)
		free(functions->all[i].name);
	free(functions->all);
	*functions = (struct elf_functions){ 0 };
}
