/* SPDX-License-Identifier: MIT */
#include "host-tools/report/symbols/elf_functions.h"

#include <fcntl.h>
#include <gelf.h>
#include <libiberty/demangle.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "host-tools/pe/alias.h"
#include "host-tools/util/array.h"

/* Get the offset in the file of a link address. False: the address is in no segment. */
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
	if (!ARRAY_ROOM(functions->all, functions->count))
		return;
	all = &functions->all[functions->count];
	*all = (struct function){ .offset = offset,
		                  .size = symbol->st_size,
		                  .name = elf_functions_plain(name),
		                  .is_cold = !!strstr(name, ".cold"),
		                  .binding = GELF_ST_BIND(symbol->st_info),
		                  .order = (uint32_t)functions->count };
	functions->count += !!all->name;
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

	if (left->offset != right->offset)
		return left->offset < right->offset ? -1 : 1;
	return left->order < right->order ? -1 : 1;
}

/* Choose one of count names of one place. perf gives a symbol without a size the begin of the next
 * symbol as its end. So among several names of one place, only the last one gets a size. */
static size_t choose(const struct function *names, size_t count)
{
	uint64_t best_rank = 0;
	size_t best = 0;

	for (size_t i = 0; i < count; i++) {
		uint64_t rank =
		    alias_rank(names[i].size || i + 1 == count, names[i].binding, names[i].name);

		if (rank > best_rank) {
			best_rank = rank;
			best = i;
		}
	}
	return best;
}

/* Keep one name for each place. */
static void drop_aliases(struct elf_functions *functions)
{
	struct function *all = functions->all;
	size_t kept = 0;

	for (size_t i = 0, count; i < functions->count; i += count) {
		size_t best;

		for (count = 1; i + count < functions->count; count++) {
			if (all[i + count].offset != all[i].offset)
				break;
		}
		best = i + choose(&all[i], count);
		for (size_t k = i; k < i + count; k++) {
			if (k != best)
				free(all[k].name);
		}
		all[kept++] = all[best];
	}
	functions->count = kept;
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
	drop_aliases(functions);
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
	const struct function *next = function + 1;

	if (function->size)
		return function->size;
	return next < functions->all + functions->count ? next->offset - function->offset : 0;
}

void elf_functions_free(struct elf_functions *functions)
{
	for (size_t i = 0; i < functions->count; i++)
		free(functions->all[i].name);
	free(functions->all);
	*functions = (struct elf_functions){ 0 };
}
