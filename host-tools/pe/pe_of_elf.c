/* SPDX-License-Identifier: MIT */
#include "host-tools/pe/pe_of_elf.h"

#include <gelf.h>
#include <stdlib.h>
#include <string.h>

#include "lib/parse/pe_probe.h"

#define IMAGE_LARGEST (256U << 20)
#define HEADER        64U /* bytes of the headers before the section headers */
#define SECTION       40U /* bytes of a section header */

/* Get a code section and its bytes; false: it is not code, or its bytes are incomplete. */
static bool take_code(Elf_Scn *section, GElf_Shdr *header, const uint8_t **bytes)
{
	Elf_Data *data;

	if (!gelf_getshdr(section, header) || !(header->sh_flags & SHF_EXECINSTR) ||
	    !(header->sh_flags & SHF_ALLOC) || header->sh_type == SHT_NOBITS ||
	    header->sh_addr >= IMAGE_LARGEST || header->sh_size > IMAGE_LARGEST)
		return false;
	data = elf_rawdata(section, NULL);
	*bytes = data ? data->d_buf : NULL;
	return *bytes && data->d_size == header->sh_size;
}

static uint16_t machine_of(const GElf_Ehdr *header)
{
	return header->e_machine == EM_X86_64    ? PE_MACHINE_AMD64
	       : header->e_machine == EM_AARCH64 ? PE_MACHINE_ARM64
	                                         : 0;
}

bool pe_of_elf_is(Elf *elf, const uint8_t id[PE_BUILD_ID])
{
	struct pe_probe probe = { 0 };
	Elf_Scn *section = NULL;
	const uint8_t *bytes;
	GElf_Shdr header;
	GElf_Ehdr file;
	uint32_t word;
	bool some = false;

	if (!gelf_getehdr(elf, &file) || !machine_of(&file) || file.e_entry >= IMAGE_LARGEST)
		return false;
	probe.arm64 = file.e_machine == EM_AARCH64;
	while ((section = elf_nextscn(elf, section))) {
		if (!take_code(section, &header, &bytes))
			continue;
		some = true;
		pe_probe_add(&probe, (uint32_t)header.sh_addr, bytes, (uint32_t)header.sh_size);
	}
	word = pe_probe_word(&probe, (uint32_t)file.e_entry);
	return some && memcmp(&word, id + PE_HASH, sizeof(word)) == 0;
}

static void put_section(uint8_t *at, const GElf_Shdr *header)
{
	static const char name[8] = ".text";
	const uint32_t size = (uint32_t)header->sh_size, rva = (uint32_t)header->sh_addr;
	const uint32_t flags = PE_SECTION_CODE | PE_SECTION_EXECUTE;

	memcpy(at, name, sizeof(name));
	memcpy(at + 8, &size, 4);
	memcpy(at + 12, &rva, 4);
	memcpy(at + 16, &size, 4);
	memcpy(at + 20, &rva, 4);
	memcpy(at + 36, &flags, 4);
}

/* Compute the image's end, and the size of its headers. */
static uint32_t measure(Elf *elf, uint32_t *headers, uint32_t *lowest)
{
	Elf_Scn *section = NULL;
	const uint8_t *bytes;
	GElf_Shdr header;
	uint32_t end = 0;

	*headers = HEADER;
	*lowest = UINT32_MAX;
	while ((section = elf_nextscn(elf, section))) {
		if (!take_code(section, &header, &bytes))
			continue;
		*headers += SECTION;
		if (header.sh_addr < *lowest)
			*lowest = (uint32_t)header.sh_addr;
		if (header.sh_addr + header.sh_size > end)
			end = (uint32_t)(header.sh_addr + header.sh_size);
	}
	return end;
}

bool pe_of_elf_make(struct pe_image *image, void **bytes, Elf *elf)
{
	uint32_t headers, lowest, end = measure(elf, &headers, &lowest);
	Elf_Scn *section = NULL;
	const uint8_t *code;
	GElf_Shdr header;
	GElf_Ehdr file;
	uint8_t *made;

	*bytes = NULL;
	if (!gelf_getehdr(elf, &file) || !end || end > IMAGE_LARGEST || lowest < headers ||
	    headers > HEADER + PE_MAX_SECTIONS * SECTION)
		return false;
	made = calloc(1, end);
	if (!made)
		return false;
	*image = (struct pe_image){ .bytes = made,
		                    .size = end,
		                    .form = PE_MAPPED,
		                    .machine = machine_of(&file),
		                    .entry = (uint32_t)file.e_entry,
		                    .image_size = end,
		                    .headers_size = headers,
		                    .section_table = HEADER };
	while ((section = elf_nextscn(elf, section))) {
		if (!take_code(section, &header, &code))
			continue;
		put_section(made + HEADER + (size_t)image->section_count++ * SECTION, &header);
		memcpy(made + header.sh_addr, code, header.sh_size);
	}
	*bytes = made;
	return true;
}
