/* SPDX-License-Identifier: MIT */
/* Addresses to function names. */
#include "host-tools/report/symbols.h"

#include <fcntl.h>
#include <gelf.h>
#include <libiberty/demangle.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "host-tools/perfdata/buildid_cache.h"
#include "host-tools/perfdata/perf_file.h"
#include "host-tools/perfdata/perf_reader.h"
#include "host-tools/util/error.h"

#define MAX_MAPPINGS 1024U
#define CACHE_SIZE   4096U /* a power of two */

struct function {
	uint64_t offset; /* in the file */
	uint64_t size;
	char *name;
};

struct mapping {
	uint64_t start, end; /* addresses */
	uint64_t file_offset;
	char *file;                 /* base name */
	char *path;                 /* where its functions were read from; NULL: from nowhere */
	struct function *functions; /* sorted by offset */
	size_t count;
};

/* Which build of a file was recorded. */
struct build {
	char *path;
	size_t size; /* of the id */
	uint8_t id[BUILDID_MAX];
};

struct cached {
	uint64_t address;
	const char *name; /* NULL: free */
	bool is_made_up;
};

struct symbols {
	struct mapping *mappings;
	size_t count;
	struct build *builds;
	size_t build_count;
	struct cached cache[CACHE_SIZE];
	char **made; /* names that were made up */
	size_t made_count;
};

struct symbols *symbols_new(void)
{
	elf_version(EV_CURRENT);
	return calloc(1, sizeof(struct symbols));
}

void symbols_free(struct symbols *symbols)
{
	if (!symbols)
		return;
	for (size_t i = 0; i < symbols->count; i++) {
		struct mapping *mapping = &symbols->mappings[i];

		for (size_t f = 0; f < mapping->count; f++)
			free(mapping->functions[f].name);
		free(mapping->functions);
		free(mapping->file);
		free(mapping->path);
	}
	for (size_t i = 0; i < symbols->made_count; i++)
		free(symbols->made[i]);
	for (size_t i = 0; i < symbols->build_count; i++)
		free(symbols->builds[i].path);
	free(symbols->builds);
	free(symbols->made);
	free(symbols->mappings);
	free(symbols);
}

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

char *symbols_plain(const char *name)
{
	bool mangled = !strncmp(name, "_Z", 2) || !strncmp(name, "_R", 2);
	char *plain = mangled ? cplus_demangle(name, DMGL_AUTO) : NULL;

	return plain ? plain : strdup(name);
}

static void add_function(struct mapping *mapping, Elf *elf, const GElf_Sym *symbol,
                         const char *name)
{
	struct function *functions;
	uint64_t offset;

	if (GELF_ST_TYPE(symbol->st_info) != STT_FUNC || !name || !*name ||
	    !file_offset_of(elf, symbol->st_value, &offset))
		return;
	if (!(mapping->count & (mapping->count + 1))) { /* grows by doubling */
		functions =
		    realloc(mapping->functions, 2 * (mapping->count + 1) * sizeof(*functions));
		if (!functions)
			return;
		mapping->functions = functions;
	}
	mapping->functions[mapping->count] =
	    (struct function){ offset, symbol->st_size, symbols_plain(name) };
	mapping->count += !!mapping->functions[mapping->count].name;
}

static void load_section(struct mapping *mapping, Elf *elf, Elf_Scn *section)
{
	GElf_Shdr header;
	Elf_Data *data;
	GElf_Sym symbol;

	if (!gelf_getshdr(section, &header) || header.sh_type != SHT_SYMTAB)
		return;
	data = elf_getdata(section, NULL);
	for (int i = 0; data && gelf_getsym(data, i, &symbol); i++)
		add_function(mapping, elf, &symbol,
		             elf_strptr(elf, header.sh_link, symbol.st_name));
}

static int compare_functions(const void *a, const void *b)
{
	const struct function *left = a, *right = b;

	return (left->offset > right->offset) - (left->offset < right->offset);
}

static void load_functions(struct mapping *mapping, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	Elf *elf = fd < 0 ? NULL : elf_begin(fd, ELF_C_READ_MMAP, NULL);

	if (elf && elf_kind(elf) == ELF_K_ELF) {
		Elf_Scn *section = NULL;

		mapping->path = strdup(path);
		while ((section = elf_nextscn(elf, section)))
			load_section(mapping, elf, section);
		if (mapping->count)
			qsort(mapping->functions, mapping->count, sizeof(*mapping->functions),
			      compare_functions);
	}
	elf_end(elf);
	if (fd >= 0)
		close(fd);
}

static void add_build(struct symbols *symbols, const struct perf_build_id *from)
{
	struct build *builds =
	    realloc(symbols->builds, (symbols->build_count + 1) * sizeof(*builds));
	struct build build = { .size = from->size };

	if (!builds)
		return;
	symbols->builds = builds;
	memcpy(build.id, from->id, from->size);
	build.path = strndup(from->path, from->path_size);
	if (build.path)
		builds[symbols->build_count++] = build;
}

void symbols_build_ids(struct symbols *symbols, const uint8_t *bytes, size_t size)
{
	struct perf_build_id build_id;
	size_t at = 0;

	while (bytes && perf_reader_build_id(bytes, size, &at, &build_id))
		add_build(symbols, &build_id);
}

static const struct build *find_build(const struct symbols *symbols, const char *path)
{
	for (size_t i = 0; i < symbols->build_count; i++) {
		if (!strcmp(symbols->builds[i].path, path))
			return &symbols->builds[i];
	}
	return NULL;
}

/* From the file that was recorded, wherever it is by now. */
static void load_recorded(struct symbols *symbols, struct mapping *mapping, const char *path)
{
	const struct build *build = find_build(symbols, path);
	char text[BUILDID_TEXT], *cached;

	if (!build || buildid_is_of(path, build->id, build->size)) {
		load_functions(mapping, path);
		return;
	}
	cached = buildid_cache_find(build->id, build->size);
	if (cached) {
		load_functions(mapping, cached);
		free(cached);
		return;
	}
	buildid_text(text, build->id, build->size);
	say("%s %s, and perf's cache (~/.debug) has none with the recording's build-id %s: its "
	    "addresses have no names",
	    path, access(path, R_OK) ? "cannot be read" : "is of another build", text);
}

void symbols_add(struct symbols *symbols, const struct perf_event_header *record)
{
	const struct perf_record_mmap2 *mmap2 = (const void *)record;
	struct mapping *mappings, *mapping;
	char path[4096];
	const char *slash;

	if (record->type != PERF_RECORD_MMAP2 || record->size <= sizeof(*mmap2) ||
	    symbols->count >= MAX_MAPPINGS)
		return;
	snprintf(path, sizeof(path), "%.*s", (int)(record->size - sizeof(*mmap2)), mmap2->filename);
	slash = strrchr(path, '/');
	mappings = realloc(symbols->mappings, (symbols->count + 1) * sizeof(*mappings));
	if (!mappings)
		return;
	symbols->mappings = mappings;
	mapping = &mappings[symbols->count];
	*mapping = (struct mapping){
		.start = mmap2->addr,
		.end = mmap2->addr + mmap2->len,
		.file_offset = mmap2->pgoff,
		.file = strdup(slash ? slash + 1 : path),
	};
	if (!mapping->file)
		return;
	load_recorded(symbols, mapping, path);
	symbols->count++;
}

/* The last function that begins at or before offset, if it reaches that far. Sizes of 0 (written
 * in assembly) reach to the next function. */
static const struct function *find_function(const struct mapping *mapping, uint64_t offset)
{
	size_t low = 0, high = mapping->count;
	const struct function *function;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (mapping->functions[middle].offset <= offset)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low)
		return NULL;
	function = &mapping->functions[low - 1];
	return !function->size || offset - function->offset < function->size ? function : NULL;
}

/* Later mappings win, as they do in memory. NULL: nobody knows of any. */
static const struct mapping *find_mapping(const struct symbols *symbols, uint64_t address)
{
	for (size_t i = symbols->count; i-- > 0;) {
		const struct mapping *mapping = &symbols->mappings[i];

		if (address >= mapping->start && address < mapping->end)
			return mapping;
	}
	return NULL;
}

/* A name for an address without a function; kept until the end. */
static const char *make_name(struct symbols *symbols, uint64_t address)
{
	const struct mapping *mapping = find_mapping(symbols, address);
	char **made = realloc(symbols->made, (symbols->made_count + 1) * sizeof(*made));
	char *name = NULL;
	unsigned long long offset = address - (mapping ? mapping->start : 0);

	if (!made)
		return "?";
	symbols->made = made;
	if (asprintf(&name, mapping ? "%s+0x%llx" : "%s0x%llx", mapping ? mapping->file : "",
	             offset) < 0)
		return "?";
	symbols->made[symbols->made_count++] = name;
	return name;
}

struct symbol symbols_find(const struct symbols *symbols, uint64_t address)
{
	const struct mapping *mapping = find_mapping(symbols, address);
	const struct function *function;
	uint64_t offset;

	if (!mapping)
		return (struct symbol){ .offset = address };
	offset = address - mapping->start + mapping->file_offset;
	function = find_function(mapping, offset);
	return (struct symbol){ mapping->file, function ? function->name : NULL, offset };
}

const char *symbols_elf(const struct symbols *symbols, uint64_t address)
{
	const struct mapping *mapping = find_mapping(symbols, address);

	return mapping ? mapping->path : NULL;
}

bool symbols_mapping(const struct symbols *symbols, size_t number, struct symbol_mapping *mapping)
{
	const struct mapping *found = symbols->mappings + number;

	if (number >= symbols->count)
		return false;
	*mapping = (struct symbol_mapping){ found->file, found->path, found->start, found->end,
		                            found->file_offset };
	return true;
}

bool symbols_function(const struct symbols *symbols, size_t mapping, size_t number,
                      struct symbol *function)
{
	const struct mapping *of = symbols->mappings + mapping;

	if (number >= of->count)
		return false;
	*function =
	    (struct symbol){ of->file, of->functions[number].name, of->functions[number].offset };
	return true;
}

bool symbols_code(const struct symbols *symbols, uint64_t address, struct symbol_code *code)
{
	const struct mapping *mapping = find_mapping(symbols, address);
	const struct function *function =
	    mapping ? find_function(mapping, address - mapping->start + mapping->file_offset)
	            : NULL;

	if (!function || !mapping->path)
		return false;
	*code = (struct symbol_code){
		.path = mapping->path,
		.offset = function->offset,
		.size = function->size,
		.address = function->offset - mapping->file_offset + mapping->start,
	};
	return true;
}

/* Where its name is kept, if it has one. */
static struct cached *look_up(struct symbols *symbols, uint64_t address)
{
	uint64_t slot = (address * 0x9e3779b97f4a7c15ULL) >> 52 & (CACHE_SIZE - 1);
	struct cached *cached = &symbols->cache[slot];

	if (!cached->name || cached->address != address)
		*cached = (struct cached){ address, symbols_find(symbols, address).name, false };
	return cached;
}

const char *symbols_known(struct symbols *symbols, uint64_t address)
{
	const struct cached *cached = symbols ? look_up(symbols, address) : NULL;

	return cached && !cached->is_made_up ? cached->name : NULL;
}

const char *symbols_name(struct symbols *symbols, uint64_t address)
{
	struct cached *cached = look_up(symbols, address);

	if (!cached->name) {
		cached->name = make_name(symbols, address);
		cached->is_made_up = true;
	}
	return cached->name;
}
