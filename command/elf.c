/* SPDX-License-Identifier: MIT */
#include "command/elf.h"

#include <errno.h>
#include <string.h>

#include "command/elf_format.h"
#include "lib/parse/bytes.h"

#define MAX_PROGRAM_HEADERS 64U
/* the lower half of the address space on every known 64-bit machine */
#define ADDRESS_LIMIT       (1ULL << 47)

/* The file under examination. */
struct parser {
	struct elf_image *image;
	struct bytes file;
	uint16_t machine;
	uint64_t dynamic, dynamic_size; /* offset and size in the file */
	struct elf_error *error;
};

static int elf_refuse(struct parser *p, const char *what, uint64_t where)
{
	*p->error = (struct elf_error){ what, where };
	return -ENOEXEC;
}

static uint64_t elf_page_of(uint64_t address)
{
	return address & ~(uint64_t)(ELF_PAGE - 1);
}

static uint64_t elf_page_end(uint64_t address)
{
	return elf_page_of(address + ELF_PAGE - 1);
}

/* ---- The header ---- */

static int elf_check_header(struct parser *p, struct elf_header *header)
{
	uint64_t table;

	if (!bytes_get(&p->file, 0, header, sizeof(*header)) || header->magic != ELF_MAGIC)
		return elf_refuse(p, "it is not an ELF file", p->file.size);
	if (header->class != ELFCLASS64 || header->data != ELFDATA2LSB)
		return elf_refuse(p, "it is not a 64-bit little-endian ELF file", header->class);
	if (header->machine != p->machine)
		return elf_refuse(p, "it is built for another machine", header->machine);
	if (header->type != ET_EXEC && header->type != ET_DYN)
		return elf_refuse(p, "it is neither an executable nor a static PIE", header->type);
	if (header->phentsize != sizeof(struct elf_program_header))
		return elf_refuse(p, "its program headers have an unknown size", header->phentsize);
	if (!header->phnum || header->phnum > MAX_PROGRAM_HEADERS)
		return elf_refuse(p, "it has no program headers, or too many", header->phnum);
	table = (uint64_t)header->phnum * sizeof(struct elf_program_header);
	if (!bytes_inside(header->phoff, table, p->file.size))
		return elf_refuse(p, "it is cut short: its program headers lie behind its end",
		                  header->phoff);
	return 0;
}

/* ---- Segments ---- */

static int elf_check_bounds(struct parser *p, const struct elf_program_header *h)
{
	if (h->filesz > h->memsz)
		return elf_refuse(p, "a segment is larger in the file than in memory", h->vaddr);
	if (!bytes_inside(h->offset, h->filesz, p->file.size))
		return elf_refuse(p, "it is cut short: a segment lies behind its end", h->offset);
	if (h->vaddr >= ADDRESS_LIMIT || h->memsz > ELF_MAX_SPAN)
		return elf_refuse(p, "a segment lies beyond what can be loaded", h->vaddr);
	if (h->align & (h->align - 1) || h->align > ELF_MAX_ALIGN)
		return elf_refuse(p, "a segment has an alignment that cannot be had", h->align);
	if (h->flags & PF_W && h->flags & PF_X)
		return elf_refuse(p, "a segment is both writable and executable", h->vaddr);
	return 0;
}

/* Access rights apply to whole pages. */
static int elf_check_neighbour(struct parser *p, const struct elf_segment *before,
                               const struct elf_segment *next)
{
	uint64_t end = before->address + before->memory_size;

	if (next->address < before->address)
		return elf_refuse(p, "its segments are not in ascending order", next->address);
	if (next->address < end)
		return elf_refuse(p, "two segments overlap", next->address);
	if (elf_page_of(next->address) < elf_page_end(end) &&
	    (next->write != before->write || next->execute != before->execute))
		return elf_refuse(
		    p, "two segments with different rights share a page (-z separate-code)",
		    next->address);
	return 0;
}

static int elf_add_segment(struct parser *p, const struct elf_program_header *h)
{
	struct elf_image *image = p->image;
	struct elf_segment *segment = &image->segments[image->nr_segments];
	int code;

	if (!h->memsz)
		return 0;
	if (image->nr_segments == ELF_MAX_SEGMENTS)
		return elf_refuse(p, "it has too many segments", image->nr_segments);
	code = elf_check_bounds(p, h);
	if (code)
		return code;
	*segment = (struct elf_segment){ h->offset, h->vaddr,        h->filesz,
		                         h->memsz,  h->flags & PF_W, h->flags & PF_X };
	if (image->nr_segments)
		code = elf_check_neighbour(p, segment - 1, segment);
	if (h->align > image->align && !image->fixed)
		image->align = h->align;
	image->nr_segments++;
	return code;
}

/* A damaged note gives no build id; the file is still accepted. */
static void elf_find_build_id(struct parser *p, const struct elf_program_header *h)
{
	uint64_t at = h->offset, end = h->offset + h->filesz;
	struct elf_note note;

	if (!bytes_inside(h->offset, h->filesz, p->file.size))
		return;
	while (at <= end && end - at >= sizeof(note) &&
	       bytes_get(&p->file, at, &note, sizeof(note))) {
		uint64_t name = at + sizeof(note);
		uint64_t text = name + (((uint64_t)note.namesz + 3) & ~3ULL);

		if (!bytes_inside(text, note.descsz, end))
			return;
		if (note.type == NT_GNU_BUILD_ID && note.namesz == 4 &&
		    !memcmp(p->file.at + name, "GNU", 4) && note.descsz <= ELF_MAX_BUILD_ID) {
			p->image->build_id_size = note.descsz;
			memcpy(p->image->build_id, p->file.at + text, note.descsz);
			return;
		}
		at = text + (((uint64_t)note.descsz + 3) & ~3ULL);
	}
}

static int elf_take_header(struct parser *p, const struct elf_program_header *h)
{
	switch (h->type) {
	case PT_LOAD:
		return elf_add_segment(p, h);
	case PT_INTERP:
		return elf_refuse(p, "it is dynamically linked: link it with -static-pie",
		                  h->offset);
	case PT_TLS: /* the program's start-up code lays these out */
		return elf_check_bounds(p, h);
	case PT_DYNAMIC:
		if (!bytes_inside(h->offset, h->filesz, p->file.size))
			return elf_refuse(
			    p, "it is cut short: its dynamic section lies behind its end",
			    h->offset);
		p->dynamic = h->offset;
		p->dynamic_size = h->filesz;
		return 0;
	case PT_NOTE:
		if (!p->image->build_id_size)
			elf_find_build_id(p, h);
		return 0;
	default:
		return 0;
	}
}

static int elf_check_whole(struct parser *p, uint64_t entry)
{
	struct elf_image *image = p->image;
	const struct elf_segment *last;

	if (!image->nr_segments)
		return elf_refuse(p, "it has nothing to load", 0);
	last = &image->segments[image->nr_segments - 1];
	image->low = image->segments[0].address & ~(image->align - 1);
	image->high = elf_page_end(last->address + last->memory_size);
	if (image->high - image->low > ELF_MAX_SPAN)
		return elf_refuse(p, "its segments span more than 1 GiB", image->high - image->low);
	for (unsigned i = 0; i < image->nr_segments; i++) {
		const struct elf_segment *s = &image->segments[i];

		if (s->execute && entry >= s->address && entry - s->address < s->file_size) {
			image->entry = entry;
			return 0;
		}
	}
	return elf_refuse(p, "its entry point is not code of its own", entry);
}

/* ---- Relocations ---- */

/* Finds the file offset of an address range. False: no segment holds the whole range. */
static bool elf_file_offset(const struct parser *p, uint64_t address, uint64_t bytes,
                            uint64_t *offset)
{
	for (unsigned i = 0; i < p->image->nr_segments; i++) {
		const struct elf_segment *s = &p->image->segments[i];

		if (address >= s->address &&
		    bytes_inside(address - s->address, bytes, s->file_size)) {
			*offset = s->offset + (address - s->address);
			return true;
		}
	}
	return false;
}

static bool elf_is_writable(const struct elf_image *image, uint64_t address, uint64_t bytes)
{
	for (unsigned i = 0; i < image->nr_segments; i++) {
		const struct elf_segment *s = &image->segments[i];

		if (s->write && address >= s->address &&
		    bytes_inside(address - s->address, bytes, s->memory_size))
			return true;
	}
	return false;
}

static int elf_check_relocation(struct parser *p, const struct elf_rela *rela)
{
	uint64_t relative = p->machine == EM_AARCH64 ? R_AARCH64_RELATIVE : R_X86_64_RELATIVE;

	if (rela->info != relative)
		return elf_refuse(p, "it has a relocation that is not relative", rela->offset);
	if (!elf_is_writable(p->image, rela->offset, sizeof(uint64_t)))
		return elf_refuse(p, "a relocation lies outside its writable segments",
		                  rela->offset);
	if (rela->addend < p->image->low || rela->addend > p->image->high)
		return elf_refuse(p, "a relocation leads outside its segments", rela->offset);
	return 0;
}

static int elf_check_relocations(struct parser *p, uint64_t address, uint64_t bytes)
{
	struct elf_image *image = p->image;
	struct elf_rela rela;
	int code = 0;

	if (!bytes)
		return 0;
	if (bytes % sizeof(rela) || !elf_file_offset(p, address, bytes, &image->relocations))
		return elf_refuse(p, "its table of relocations lies outside its segments", address);
	image->nr_relocations = bytes / sizeof(rela);
	for (uint64_t i = 0; i < image->nr_relocations && !code; i++) {
		bytes_get(&p->file, image->relocations + i * sizeof(rela), &rela, sizeof(rela));
		code = elf_check_relocation(p, &rela);
	}
	return code;
}

static int elf_check_dynamic(struct parser *p)
{
	uint64_t table = 0, table_size = 0, entry_size = sizeof(struct elf_rela);
	struct elf_dynamic d;

	for (uint64_t at = 0; bytes_inside(at, sizeof(d), p->dynamic_size); at += sizeof(d)) {
		bytes_get(&p->file, p->dynamic + at, &d, sizeof(d));
		if (d.tag == DT_NULL)
			break;
		if (d.tag == DT_NEEDED)
			return elf_refuse(p, "it needs shared libraries: link it with -static-pie",
			                  d.value);
		if ((d.tag == DT_RELSZ || d.tag == DT_RELRSZ || d.tag == DT_PLTRELSZ) && d.value)
			return elf_refuse(p, "it has relocations of an unknown kind", d.tag);
		if (d.tag == DT_RELA)
			table = d.value;
		else if (d.tag == DT_RELASZ)
			table_size = d.value;
		else if (d.tag == DT_RELAENT)
			entry_size = d.value;
	}
	if (entry_size != sizeof(struct elf_rela))
		return elf_refuse(p, "its relocations have an unknown size", entry_size);
	return elf_check_relocations(p, table, table_size);
}

int elf_parse(struct elf_image *image, const void *file, uint64_t size, uint16_t machine,
              struct elf_error *error)
{
	struct parser p = { image, { file, size }, machine, 0, 0, error };
	struct elf_program_header h;
	struct elf_header header;
	int code;

	*image = (struct elf_image){ .align = ELF_PAGE };
	code = elf_check_header(&p, &header);
	image->fixed = !code && header.type == ET_EXEC;
	for (unsigned i = 0; !code && i < header.phnum; i++) {
		bytes_get(&p.file, header.phoff + i * sizeof(h), &h, sizeof(h));
		code = elf_take_header(&p, &h);
	}
	if (code)
		return code;
	code = elf_check_whole(&p, header.entry);
	return code ? code : elf_check_dynamic(&p);
}

/* ---- Loading ---- */

void elf_place(const struct elf_image *image, const void *file, void *memory, bool writable)
{
	for (unsigned i = 0; i < image->nr_segments; i++) {
		const struct elf_segment *s = &image->segments[i];
		uint8_t *to = (uint8_t *)memory + (s->address - image->low);

		if (s->write != writable)
			continue;
		memcpy(to, (const uint8_t *)file + s->offset, s->file_size);
		memset(to + s->file_size, 0, s->memory_size - s->file_size);
	}
}

void elf_relocate(const struct elf_image *image, const void *file, void *memory, uint64_t address)
{
	const uint8_t *table = (const uint8_t *)file + image->relocations;
	struct elf_rela rela;

	for (uint64_t i = 0; i < image->nr_relocations; i++) {
		uint64_t value;

		memcpy(&rela, table + i * sizeof(rela), sizeof(rela));
		value = address + (rela.addend - image->low);
		memcpy((uint8_t *)memory + (rela.offset - image->low), &value, sizeof(value));
	}
}
