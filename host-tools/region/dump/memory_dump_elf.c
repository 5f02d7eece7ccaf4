/* SPDX-License-Identifier: MIT */
/*
 * ELF cores: each PT_LOAD is a range of physical addresses; its bytes may lie anywhere in the file
 * (QEMU puts them after the notes, not page aligned). A core of a process, or from a debugger
 * without physical addresses, has 0 in every physical address; then the virtual addresses are used.
 */
#include <gelf.h>
#include <inttypes.h>
#include <string.h>

#include <errno.h>

#include "host-tools/region/dump/memory_dump.h"

static int add_segment(struct memory_dump *dump, const GElf_Phdr *segment, bool is_physical,
                       struct error *error)
{
	struct memory_range range = {
		.address = is_physical ? segment->p_paddr : segment->p_vaddr,
		.size = segment->p_filesz,
		.offset = segment->p_offset,
	};
	uint64_t zeros = segment->p_memsz > range.size ? segment->p_memsz - range.size : 0;
	int code = 0;

	if (range.offset > dump->size || range.size > dump->size - range.offset)
		return error_set(error, -EPROTO,
		                 "the ELF core has a segment of 0x%" PRIx64 " bytes at 0x%" PRIx64
		                 ", but ends at 0x%zx: cut off",
		                 range.size, range.offset, dump->size);
	if (range.address + range.size + zeros < range.address || range.size + zeros < zeros)
		return error_set(error, -EPROTO,
		                 "the ELF core has a segment at 0x%" PRIx64
		                 " that ends behind 2^64",
		                 range.address);
	if (range.size)
		code = memory_dump_add(dump, &range, error);
	range = (struct memory_range){ range.address + range.size, zeros, MEMORY_ZEROS };
	return code || !zeros ? code : memory_dump_add(dump, &range, error);
}

static int add_segments(struct memory_dump *dump, Elf *elf, size_t count, struct error *error)
{
	bool is_physical = false;
	GElf_Phdr segment;
	int code = 0;

	for (size_t i = 0; i < count && !is_physical; i++)
		is_physical = gelf_getphdr(elf, (int)i, &segment) && segment.p_type == PT_LOAD &&
		              segment.p_paddr;
	for (size_t i = 0; i < count && !code; i++) {
		if (!gelf_getphdr(elf, (int)i, &segment))
			return error_set(error, -EPROTO, "segment %zu of the ELF core: %s", i,
			                 elf_errmsg(-1));
		if (segment.p_type == PT_LOAD)
			code = add_segment(dump, &segment, is_physical, error);
	}
	return code;
}

static int read_core(struct memory_dump *dump, Elf *elf, struct error *error)
{
	GElf_Ehdr header;
	size_t count = 0;
	int code;

	if (!elf || !gelf_getehdr(elf, &header) || elf_getphdrnum(elf, &count))
		return error_set(error, -EPROTO, "an ELF file that cannot be read: %s",
		                 elf_errmsg(-1));
	if (header.e_type != ET_CORE)
		return error_set(error, -EPROTO, "an ELF file, but no core (its type is %u)",
		                 header.e_type);
	code = add_segments(dump, elf, count < INT32_MAX ? count : INT32_MAX, error);
	if (!code && !dump->count)
		code = error_set(error, -EPROTO, "an ELF core without memory (PT_LOAD)");
	return code ? code : 1;
}

int memory_dump_elf(struct memory_dump *dump, struct error *error)
{
	Elf *elf;
	int code;

	if (dump->size < SELFMAG || memcmp(dump->bytes, ELFMAG, SELFMAG) != 0)
		return 0;
	dump->kind = "ELF core";
	elf_version(EV_CURRENT);
	elf = elf_memory((char *)(uintptr_t)dump->bytes, dump->size);
	code = read_core(dump, elf, error);
	elf_end(elf);
	return code;
}
