/* SPDX-License-Identifier: MIT */
#include "lib/parse/pe_image.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "lib/parse/bytes.h"

#define DOS_MAGIC       0x5a4dU /* "MZ" */
#define DOS_LFANEW      0x3cU
#define PE_SIGNATURE    0x4550U /* "PE", 0, 0 */
#define PE32PLUS_MAGIC  0x20bU
#define PE32_MAGIC      0x10bU
#define DIRECTORY_RELOC 5U
#define DIRECTORY_DEBUG 6U
#define CODEVIEW        2U /* a debug directory entry's type */
#define MAX_DEBUG       64U

#define RELOCATION_NONE  0U /* padding at a block's end */
#define RELOCATION_LOW32 3U /* 4 bytes; the types of x86_64 and aarch64 have 8 */

struct coff_header {
	uint16_t machine, section_count;
	uint32_t timestamp, symbols, symbol_count;
	uint16_t optional_size, characteristics;
};
_Static_assert(sizeof(struct coff_header) == 20, "IMAGE_FILE_HEADER");

struct pe_optional_header {
	uint16_t magic;
	uint8_t linker_major, linker_minor;
	uint32_t code_size, data_size, bss_size, entry, code_base;
	uint32_t image_base[2]; /* may be at any offset, so no uint64_t */
	uint32_t section_alignment, file_alignment;
	uint16_t versions[6];
	uint32_t win32_version, image_size, headers_size, checksum;
	uint16_t subsystem, dll_characteristics;
	uint32_t stack_heap[8];
	uint32_t loader_flags, directory_count;
};
_Static_assert(sizeof(struct pe_optional_header) == 112, "IMAGE_OPTIONAL_HEADER64");

struct pe_section_header {
	char name[8];
	uint32_t virtual_size, rva, file_size, file_offset;
	uint32_t relocations, lines, counts, flags;
};
_Static_assert(sizeof(struct pe_section_header) == 40, "IMAGE_SECTION_HEADER");

struct debug_entry {
	uint32_t characteristics, timestamp, version, type, size, rva, file_offset;
};
_Static_assert(sizeof(struct debug_entry) == 28, "IMAGE_DEBUG_DIRECTORY");

static int pe_refuse(const char **why, const char *what)
{
	*why = what;
	return -ENOEXEC;
}

static bool pe_get(const struct pe_image *image, uint64_t offset, void *to, uint64_t bytes)
{
	const struct bytes file = { image->bytes, image->size };

	return bytes_get(&file, offset, to, bytes);
}

static void pe_get_directory(const struct pe_image *image, uint64_t optional, uint32_t count,
                             unsigned which, struct pe_directory *directory)
{
	uint64_t offset = optional + sizeof(struct pe_optional_header) +
	                  which * sizeof(struct pe_directory);

	if (which >= count || !pe_get(image, offset, directory, sizeof(*directory)) ||
	    !directory->rva)
		*directory = (struct pe_directory){ 0, 0 };
}

static int pe_take_optional_header(struct pe_image *image, uint64_t at, uint32_t size,
                                   const char **why)
{
	struct pe_optional_header optional;
	uint32_t directories;

	if (!pe_get(image, at, &optional.magic, sizeof(optional.magic)))
		return pe_refuse(why, "it is cut short: its headers lie behind its end");
	if (optional.magic == PE32_MAGIC)
		return pe_refuse(why, "it is a 32-bit PE image");
	if (optional.magic != PE32PLUS_MAGIC)
		return pe_refuse(why, "its optional header is of an unknown kind");
	if (size < sizeof(optional) || !pe_get(image, at, &optional, sizeof(optional)))
		return pe_refuse(why, "it is cut short: its headers lie behind its end");
	directories = (size - (uint32_t)sizeof(optional)) / (uint32_t)sizeof(struct pe_directory);
	if (directories > optional.directory_count)
		directories = optional.directory_count;
	image->subsystem = optional.subsystem;
	image->entry = optional.entry;
	image->image_size = optional.image_size;
	image->headers_size = optional.headers_size;
	image->image_base = optional.image_base[0] | (uint64_t)optional.image_base[1] << 32;
	pe_get_directory(image, at, directories, DIRECTORY_RELOC, &image->relocations);
	pe_get_directory(image, at, directories, DIRECTORY_DEBUG, &image->debug);
	return 0;
}

int pe_parse(struct pe_image *image, const void *bytes, uint64_t size, enum pe_form form,
             const char **why)
{
	struct coff_header coff;
	uint32_t signature, at;
	uint16_t magic;
	int code;

	*image = (struct pe_image){ .bytes = bytes, .size = size, .form = form };
	if (!pe_get(image, 0, &magic, sizeof(magic)) || magic != DOS_MAGIC ||
	    !pe_get(image, DOS_LFANEW, &at, sizeof(at)) ||
	    !pe_get(image, at, &signature, sizeof(signature)) || signature != PE_SIGNATURE)
		return pe_refuse(why, "it is not a PE image");
	if (!pe_get(image, (uint64_t)at + sizeof(signature), &coff, sizeof(coff)))
		return pe_refuse(why, "it is cut short: its headers lie behind its end");
	code = pe_take_optional_header(image, (uint64_t)at + sizeof(signature) + sizeof(coff),
	                               coff.optional_size, why);
	if (code)
		return code;
	image->machine = coff.machine;
	image->symbols = coff.symbols;
	image->symbol_count = coff.symbols ? coff.symbol_count : 0;
	image->section_count = coff.section_count;
	image->section_table = (uint64_t)at + sizeof(signature) + sizeof(coff) + coff.optional_size;
	if (image->section_count > PE_MAX_SECTIONS)
		return pe_refuse(why, "it has too many sections");
	if (!bytes_inside(image->section_table,
	                  image->section_count * sizeof(struct pe_section_header), size))
		return pe_refuse(why, "it is cut short: its sections' table lies behind its end");
	return 0;
}

bool pe_section(const struct pe_image *image, uint32_t number, struct pe_section *section)
{
	struct pe_section_header header;

	if (number >= image->section_count ||
	    !pe_get(image, image->section_table + (uint64_t)number * sizeof(header), &header,
	            sizeof(header)))
		return false;
	*section = (struct pe_section){
		.rva = header.rva,
		.size = header.virtual_size ? header.virtual_size : header.file_size,
		.file_offset = header.file_offset,
		.file_size = header.file_size,
		.flags = header.flags,
	};
	if (section->size > UINT32_MAX - section->rva)
		section->size = UINT32_MAX - section->rva;
	memcpy(section->name, header.name, sizeof(header.name));
	return true;
}

/* The offset of the RVA in a file; false: the file does not have it. */
static bool pe_file_offset(const struct pe_image *image, uint32_t rva, uint64_t size,
                           uint64_t *offset)
{
	struct pe_section section;

	*offset = rva;
	if (bytes_inside(rva, size, image->headers_size))
		return true;
	for (uint32_t i = 0; pe_section(image, i, &section); i++) {
		uint32_t there = section.file_size < section.size ? section.file_size
		                                                  : section.size;

		if (rva >= section.rva && bytes_inside(rva - section.rva, size, there)) {
			*offset = (uint64_t)section.file_offset + (rva - section.rva);
			return true;
		}
	}
	return false;
}

const void *pe_at(const struct pe_image *image, uint32_t rva, uint64_t size)
{
	uint64_t offset = rva;

	if (image->form == PE_FILE && !pe_file_offset(image, rva, size, &offset))
		return NULL;
	return bytes_inside(offset, size, image->size) ? image->bytes + offset : NULL;
}

/* ---- Relocations ---- */

/* A block consists of the page's RVA, its own size, and 16-bit numbers: type and place in the
 * page. */
static bool pe_begin_block(const uint8_t *table, uint32_t end, struct pe_relocations *walk)
{
	uint32_t size;

	if (end - walk->at < 8)
		return false;
	memcpy(&walk->page, table + walk->at, sizeof(walk->page));
	memcpy(&size, table + walk->at + 4, sizeof(size));
	if (size < 8 || size > end - walk->at)
		return false;
	walk->block_end = walk->at + size;
	walk->at += 8;
	return true;
}

bool pe_relocation_next(const struct pe_image *image, struct pe_relocations *walk, uint64_t *rva,
                        uint32_t *size)
{
	const uint8_t *table = pe_at(image, image->relocations.rva, image->relocations.size);
	uint16_t entry;

	while (table) {
		if (walk->block_end - walk->at < sizeof(entry)) {
			walk->at = walk->block_end;
			if (!pe_begin_block(table, image->relocations.size, walk))
				break;
			continue;
		}
		memcpy(&entry, table + walk->at, sizeof(entry));
		walk->at += sizeof(entry);
		if (entry >> 12 == RELOCATION_NONE)
			continue;
		*rva = (uint64_t)walk->page + (entry & 0xfff);
		*size = entry >> 12 == RELOCATION_LOW32 ? 4 : 8;
		return true;
	}
	return false;
}

/* ---- The debug directory ---- */

/* CodeView's entries begin with four characters. */
static bool pe_take_codeview(struct pe_debug *debug, const uint8_t *bytes, uint32_t size)
{
	static const struct {
		char magic[4];
		enum pe_debug_kind kind;
		uint32_t path, id, age, signature; /* offsets in the entry; 0: missing */
	} kinds[] = {
		{ "RSDS", PE_DEBUG_RSDS, 24, 4, 20, 0 },
		{ "NB10", PE_DEBUG_NB10, 16, 0, 0, 8 },
		{ "MTOC", PE_DEBUG_MTOC, 20, 4, 0, 0 },
	};
	const uint8_t *end;

	*debug = (struct pe_debug){ .kind = PE_DEBUG_NONE };
	for (unsigned i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (size < kinds[i].path || memcmp(bytes, kinds[i].magic, 4) != 0)
			continue;
		debug->kind = kinds[i].kind;
		if (kinds[i].id)
			memcpy(debug->id, bytes + kinds[i].id, sizeof(debug->id));
		if (kinds[i].age)
			memcpy(&debug->age, bytes + kinds[i].age, sizeof(debug->age));
		if (kinds[i].signature)
			memcpy(&debug->signature, bytes + kinds[i].signature,
			       sizeof(debug->signature));
		debug->path = (const char *)bytes + kinds[i].path;
		debug->path_size = size - kinds[i].path;
		end = memchr(debug->path, 0, debug->path_size);
		if (end)
			debug->path_size = (uint32_t)(end - (const uint8_t *)debug->path);
	}
	return debug->kind != PE_DEBUG_NONE;
}

bool pe_debug_next(const struct pe_image *image, uint32_t *at, struct pe_debug *debug)
{
	uint32_t count = image->debug.size / (uint32_t)sizeof(struct debug_entry);
	const uint8_t *table = pe_at(image, image->debug.rva, image->debug.size), *bytes;
	struct debug_entry entry;

	/* GenFw includes the data that the entries point to in the directory's size. */
	while (table && *at < count && *at < MAX_DEBUG) {
		memcpy(&entry, table + (*at)++ * sizeof(entry), sizeof(entry));
		bytes = entry.type == CODEVIEW && entry.rva ? pe_at(image, entry.rva, entry.size)
		                                            : NULL;
		if (bytes && pe_take_codeview(debug, bytes, entry.size))
			return true;
	}
	*debug = (struct pe_debug){ .kind = PE_DEBUG_NONE };
	return false;
}

static bool pe_has_id(const struct pe_debug *debug)
{
	static const uint8_t none[sizeof(debug->id)];

	return memcmp(debug->id, none, sizeof(none)) != 0;
}

void pe_debug_find(const struct pe_image *image, struct pe_debug *debug)
{
	struct pe_debug one;
	uint32_t at = 0;

	*debug = (struct pe_debug){ .kind = PE_DEBUG_NONE };
	while (!pe_has_id(debug) && pe_debug_next(image, &at, &one)) {
		if (debug->kind == PE_DEBUG_NONE || pe_has_id(&one))
			*debug = one;
	}
}

uint32_t pe_module_name(const char *path, uint64_t path_size, char *to, uint32_t to_size)
{
	uint64_t start = 0, end = path_size;
	uint32_t length = 0;

	for (uint64_t i = 0; i < path_size; i++) {
		if (path[i] == '/' || path[i] == '\\') {
			start = i + 1;
			end = path_size;
		} else if (path[i] == '.' && i > start) {
			end = i;
		}
	}
	for (uint64_t i = start; i < end && length + 1 < to_size; i++) {
		bool plain = path[i] > ' ' && path[i] < 0x7f && path[i] != '"' && path[i] != '\'';

		to[length++] = path[i] == ' ' || plain ? path[i] : '?';
	}
	to[length] = 0;
	return length;
}
