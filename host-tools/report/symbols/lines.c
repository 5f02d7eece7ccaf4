/* SPDX-License-Identifier: MIT */
#include "host-tools/report/symbols/lines.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwelf.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "host-tools/perfdata/buildid_cache.h"
#include "host-tools/util/array.h"

struct opened {
	int fd; /* -1: not open */
	Elf *elf;
};

struct lines_elf {
	char *path;
	struct opened file;  /* the file that offsets refer to */
	struct opened debug; /* the file with the DWARF, if it is another file */
	Dwarf *dwarf;        /* NULL: no DWARF */
};

static struct opened open_elf(const char *path)
{
	struct opened opened = { .fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK) };

	if (opened.fd >= 0)
		opened.elf = elf_begin(opened.fd, ELF_C_READ_MMAP, NULL);
	return opened;
}

static void close_elf(struct opened *opened)
{
	elf_end(opened->elf);
	if (opened->fd >= 0)
		close(opened->fd);
	*opened = (struct opened){ .fd = -1 };
}

static bool has_dwarf(Elf *elf)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;
	size_t names;

	if (elf_getshdrstrndx(elf, &names))
		return false;
	while ((section = elf_nextscn(elf, section))) {
		const char *name =
		    gelf_getshdr(section, &header) ? elf_strptr(elf, names, header.sh_name) : NULL;

		if (name && !strcmp(name, ".debug_info"))
			return header.sh_type != SHT_NOBITS;
	}
	return false;
}

/* Open the file with the DWARF. The symbols of bareperf's image are in NAME.sym; its DWARF is in
 * NAME.elf of the same build in the same folder. */
static void find_debug(struct lines_elf *elf)
{
	const char *dot = strrchr(elf->path, '.'), *slash = strrchr(elf->path, '/');
	const void *id;
	ssize_t size = dwelf_elf_gnu_build_id(elf->file.elf, &id);
	char *path = NULL;

	if (size <= 0 || !dot || (slash && slash > dot) ||
	    asprintf(&path, "%.*s.elf", (int)(dot - elf->path), elf->path) < 0)
		return;
	if (buildid_is_of(path, id, (size_t)size))
		elf->debug = open_elf(path);
	free(path);
}

static void open_dwarf(struct lines_elf *elf)
{
	Elf *from;

	elf->file = open_elf(elf->path);
	from = elf->file.elf;
	if (from && !has_dwarf(from)) {
		find_debug(elf);
		from = elf->debug.elf;
	}
	if (from)
		elf->dwarf = dwarf_begin_elf(from, DWARF_C_READ, NULL);
}

static struct lines_elf *find_elf(struct lines *lines, const char *path)
{
	struct lines_elf *elf;

	for (uint32_t i = 0; i < lines->count; i++) {
		if (!strcmp(lines->elves[i].path, path))
			return &lines->elves[i];
	}
	if (!ARRAY_ROOM(lines->elves, lines->count))
		return NULL;
	elf = &lines->elves[lines->count];
	*elf = (struct lines_elf){ strdup(path), { .fd = -1 }, { .fd = -1 }, NULL };
	if (!elf->path)
		return NULL;
	lines->count++;
	open_dwarf(elf);
	return elf;
}

/* Find the first loaded segment for which has() is true. */
static bool find_segment(Elf *elf, bool (*has)(const GElf_Phdr *segment, uint64_t at), uint64_t at,
                         GElf_Phdr *segment)
{
	size_t count;

	if (elf_getphdrnum(elf, &count))
		return false;
	for (size_t i = 0; i < count && gelf_getphdr(elf, (int)i, segment); i++) {
		if (segment->p_type == PT_LOAD && has(segment, at))
			return true;
	}
	return false;
}

static bool has_offset(const GElf_Phdr *segment, uint64_t offset)
{
	return offset >= segment->p_offset && offset - segment->p_offset < segment->p_filesz;
}

static bool has_code_at(const GElf_Phdr *segment, uint64_t address)
{
	return segment->p_flags & PF_X && address >= segment->p_vaddr &&
	       address - segment->p_vaddr < segment->p_filesz;
}

/* Get the link address of a byte of the file. False: the byte is in no segment. */
static bool address_of(Elf *elf, uint64_t offset, uint64_t *address)
{
	GElf_Phdr segment;

	if (!find_segment(elf, has_offset, offset, &segment))
		return false;
	*address = segment.p_vaddr + (offset - segment.p_offset);
	return true;
}

/* Find the compilation unit of an address: by .debug_aranges if the compiler wrote it, else by a
 * search of all units. */
static bool find_unit(Dwarf *dwarf, uint64_t address, Dwarf_Die *unit)
{
	Dwarf_CU *at = NULL;
	uint8_t kind;

	if (dwarf_addrdie(dwarf, address, unit))
		return true;
	while (!dwarf_get_units(dwarf, at, &at, NULL, &kind, unit, NULL)) {
		if (kind == DW_UT_compile && dwarf_haspc(unit, address) > 0)
			return true;
	}
	return false;
}

struct line lines_at(struct lines *lines, const char *path, uint64_t offset)
{
	struct lines_elf *elf = find_elf(lines, path);
	uint64_t address;
	Dwarf_Die unit;
	Dwarf_Line *line;
	const char *file;
	int number;

	if (!elf || !elf->dwarf || !address_of(elf->file.elf, offset, &address) ||
	    !find_unit(elf->dwarf, address, &unit))
		return (struct line){ 0 };
	line = dwarf_getsrc_die(&unit, address);
	file = line ? dwarf_linesrc(line, NULL, NULL) : NULL;
	if (!file || dwarf_lineno(line, &number) || number < 1)
		return (struct line){ 0 };
	return (struct line){ file, (uint32_t)number };
}

static const char *name_of(Dwarf_Die *function)
{
	Dwarf_Attribute attribute;
	const char *name = NULL;

	if (dwarf_attr_integrate(function, DW_AT_linkage_name, &attribute))
		name = dwarf_formstring(&attribute);
	return name ? name : dwarf_diename(function);
}

static struct line call_site_of(Dwarf_Die *unit, Dwarf_Die *inlined)
{
	Dwarf_Attribute attribute;
	Dwarf_Word file, number;
	Dwarf_Files *files;
	size_t count;

	if (dwarf_formudata(dwarf_attr(inlined, DW_AT_call_file, &attribute), &file) ||
	    dwarf_formudata(dwarf_attr(inlined, DW_AT_call_line, &attribute), &number) ||
	    dwarf_getsrcfiles(unit, &files, &count))
		return (struct line){ 0 };
	return (struct line){ dwarf_filesrc(files, file, NULL, NULL), (uint32_t)number };
}

uint32_t lines_inlined(struct lines *lines, const char *path, uint64_t offset,
                       struct lines_call calls[LINES_INLINED])
{
	struct lines_elf *elf = find_elf(lines, path);
	Dwarf_Die unit, *innermost = NULL, *scopes = NULL;
	uint64_t address;
	uint32_t count = 0;
	int depth = 0;

	/* dwarf_getscopes() finds the innermost scope by address; dwarf_getscopes_die() then finds
	 * the scopes that contain its code */
	if (elf && elf->dwarf && address_of(elf->file.elf, offset, &address) &&
	    find_unit(elf->dwarf, address, &unit) &&
	    dwarf_getscopes(&unit, address, &innermost) > 0)
		depth = dwarf_getscopes_die(&innermost[0], &scopes);
	for (int i = 0; i < depth && count < LINES_INLINED; i++) {
		int tag = dwarf_tag(&scopes[i]);

		if (tag == DW_TAG_subprogram)
			break;
		if (tag != DW_TAG_inlined_subroutine)
			continue;
		calls[count].name = name_of(&scopes[i]);
		calls[count].line = call_site_of(&unit, &scopes[i]);
		count += !!calls[count].name;
	}
	free(innermost);
	free(scopes);
	return count;
}

/* Get the offset in the file of code at a link address. False: the address is not executable, as
 * for functions that the linker removed. */
static bool code_offset_of(Elf *elf, uint64_t address, uint64_t *offset)
{
	GElf_Phdr segment;

	if (!find_segment(elf, has_code_at, address, &segment))
		return false;
	*offset = segment.p_offset + (address - segment.p_vaddr);
	return true;
}

/* Read row i of the table. False: the row has no source line or no code. */
static bool read_row(Elf *elf, Dwarf_Lines *table, size_t i, struct lines_row *row)
{
	Dwarf_Line *line = dwarf_onesrcline(table, i), *next = dwarf_onesrcline(table, i + 1);
	Dwarf_Addr address, end;
	bool is_end;
	int number;

	if (!line || !next || dwarf_lineendsequence(line, &is_end) || is_end ||
	    dwarf_lineaddr(line, &address) || dwarf_lineaddr(next, &end) || end < address ||
	    dwarf_lineno(line, &number) || number < 1 ||
	    dwarf_linebeginstatement(line, &row->is_statement) ||
	    !code_offset_of(elf, address, &row->offset))
		return false;
	if (!dwarf_lineendsequence(next, &is_end) && is_end && end == address)
		return false; /* the row is behind the code */
	row->line = (struct line){ dwarf_linesrc(line, NULL, NULL), (uint32_t)number };
	row->end = row->offset + (end - address);
	return row->line.file;
}

int64_t lines_walk(struct lines *lines, const char *path,
                   int (*visit)(void *context, const struct lines_row *row), void *context)
{
	struct lines_elf *elf = find_elf(lines, path);
	struct lines_row row;
	Dwarf_CU *at = NULL;
	Dwarf_Lines *table;
	Dwarf_Die unit;
	int64_t seen = 0;
	size_t count;
	uint8_t kind;
	int code = 0;

	while (!code && elf && elf->dwarf &&
	       !dwarf_get_units(elf->dwarf, at, &at, NULL, &kind, &unit, NULL)) {
		if (kind != DW_UT_compile || dwarf_getsrclines(&unit, &table, &count))
			continue;
		for (size_t i = 0; !code && i + 1 < count; i++) {
			if (!read_row(elf->file.elf, table, i, &row))
				continue;
			seen++;
			code = visit(context, &row);
		}
	}
	return code ? code : seen;
}

bool lines_is_same(const char *source, const char *path)
{
	struct stat ours, theirs;

	return !stat(source, &ours) && !stat(path, &theirs) && S_ISREG(ours.st_mode) &&
	       ours.st_mtime <= theirs.st_mtime;
}

void lines_free(struct lines *lines)
{
	for (uint32_t i = 0; i < lines->count; i++) {
		dwarf_end(lines->elves[i].dwarf);
		close_elf(&lines->elves[i].debug);
		close_elf(&lines->elves[i].file);
		free(lines->elves[i].path);
	}
	free(lines->elves);
	*lines = (struct lines){ 0 };
}
