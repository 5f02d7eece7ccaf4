/* SPDX-License-Identifier: MIT */
#include "host-tools/pe/pe_layout.h"

#include <errno.h>
#include <gelf.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "host-tools/pe/pe_elf.h"

#define IMAGE_LARGEST (1U << 30)
#define PADDING       4096U /* limit of a section's padding */

struct layout {
	const struct pe_image *image;
	Elf *elf;
	uint8_t *relocated; /* indexed by RVA; 1: the byte may be relocated */
	bool arm;
};

static bool mark_relocations(struct layout *layout)
{
	struct pe_relocations walk = { 0 };
	uint64_t rva;
	uint32_t size;

	layout->relocated = calloc(1, (size_t)layout->image->image_size + 8);
	while (layout->relocated && pe_relocation_next(layout->image, &walk, &rva, &size)) {
		if (rva < layout->image->image_size)
			memset(layout->relocated + rva, 1, size);
	}
	return layout->relocated;
}

/* Whether ADRP was replaced by ADR of the same register, or a 64-bit LDR by ADD with the same
 * registers: GenFw does so with a page's address and with an entry of the GOT. */
static bool is_rewritten(uint32_t elf, uint32_t pe)
{
	bool adrp = (elf & 0x9f000000) == 0x90000000 && (pe & 0x1f000000) == 0x10000000;
	bool load = (elf & 0xffc00000) == 0xf9400000 && (pe & 0xffc00000) == 0x91000000;
	bool add = (elf & 0xffc00000) == 0x91000000 && (pe & 0xffc00000) == 0x91000000;

	return (adrp && (elf & 0x1f) == (pe & 0x1f)) ||
	       ((load || add) && (elf & 0x3ff) == (pe & 0x3ff));
}

static bool is_same_word(const struct layout *layout, const uint8_t *elf, const uint8_t *pe,
                         uint64_t at)
{
	uint32_t of_elf, of_pe;

	if (!layout->arm)
		return false;
	memcpy(&of_elf, elf + (at & ~3ULL), sizeof(of_elf));
	memcpy(&of_pe, pe + (at & ~3ULL), sizeof(of_pe));
	return is_rewritten(of_elf, of_pe);
}

/* The offset of the first byte that differs, or size. */
static uint64_t compare(const struct layout *layout, uint32_t rva, const uint8_t *elf,
                        const uint8_t *pe, uint64_t size)
{
	for (uint64_t at = 0; at < size; at++) {
		if (elf[at] != pe[at] && !layout->relocated[rva + at] &&
		    !((at | 3) < size && is_same_word(layout, elf, pe, at)))
			return at;
	}
	return size;
}

/* The image's code section that contains [rva, rva + size). */
static bool find_section(const struct pe_image *image, int64_t rva, uint64_t size,
                         struct pe_section *section)
{
	for (uint32_t i = 0; pe_section(image, i, section); i++) {
		if (pe_section_is_code(section) && rva >= section->rva && size <= section->size &&
		    (uint64_t)rva - section->rva <= section->size - size)
			return true;
	}
	return false;
}

/* For a section without code in the file: compare its place and size. */
static int check_place(const struct layout *layout, const struct pe_section *section, int64_t rva,
                       uint64_t size, int64_t moved, struct error *error)
{
	GElf_Ehdr header;

	if (rva != section->rva || section->size - size >= PADDING)
		return error_set(error, -ESTALE, "its code has another size");
	if (!gelf_getehdr(layout->elf, &header) ||
	    (int64_t)header.e_entry + moved != (int64_t)layout->image->entry)
		return error_set(error, -ESTALE, "its entry is another one");
	return 0;
}

static int check_section(const struct layout *layout, Elf_Scn *of_elf, const GElf_Shdr *header,
                         int64_t moved, struct error *error)
{
	int64_t rva = (int64_t)header->sh_addr + moved;
	struct pe_section section;
	Elf_Data *data;
	const uint8_t *pe;
	uint64_t at;

	if (header->sh_addr > UINT32_MAX ||
	    !find_section(layout->image, rva, header->sh_size, &section))
		return error_set(error, -ESTALE, "its code lies elsewhere");
	if (header->sh_type == SHT_NOBITS)
		return check_place(layout, &section, rva, header->sh_size, moved, error);
	data = elf_rawdata(of_elf, NULL);
	pe = pe_at(layout->image, (uint32_t)rva, header->sh_size);
	if (!data || !data->d_buf || data->d_size != header->sh_size || !pe ||
	    (uint64_t)rva + header->sh_size > layout->image->image_size)
		return error_set(error, -ESTALE, "its code has another size");
	at = compare(layout, (uint32_t)rva, data->d_buf, pe, header->sh_size);
	if (at == header->sh_size)
		return 0;
	return error_set(error, -ESTALE, "its code differs at 0x%" PRIx64, (uint64_t)rva + at);
}

static bool is_code(Elf_Scn *section, GElf_Shdr *header)
{
	return gelf_getshdr(section, header) && header->sh_flags & SHF_EXECINSTR &&
	       header->sh_flags & SHF_ALLOC && header->sh_size;
}

static int check_moved(const struct layout *layout, int64_t moved, struct error *error)
{
	Elf_Scn *section = NULL;
	bool some = false;
	GElf_Shdr header;
	int code = 0;

	while (!code && (section = elf_nextscn(layout->elf, section))) {
		if (!is_code(section, &header))
			continue;
		some = true;
		code = check_section(layout, section, &header, moved, error);
	}
	return code || some ? code : error_set(error, -ESTALE, "it has no code");
}

/* The distance from the ELF file's first code to the image's; 0: no code. */
static int64_t first_moved(const struct layout *layout)
{
	struct pe_section section;
	Elf_Scn *of_elf = NULL;
	GElf_Shdr header;
	uint32_t i = 0;

	do {
		if (!pe_section(layout->image, i++, &section))
			return 0;
	} while (!pe_section_is_code(&section));
	while ((of_elf = elf_nextscn(layout->elf, of_elf))) {
		if (is_code(of_elf, &header) && header.sh_addr <= UINT32_MAX)
			return (int64_t)section.rva - (int64_t)header.sh_addr;
	}
	return 0;
}

int pe_layout_check(const struct pe_image *image, Elf *elf, int64_t *moved, struct error *error)
{
	struct layout layout = { .image = image, .elf = elf };
	GElf_Ehdr header;
	int code;

	if (!gelf_getehdr(elf, &header) || header.e_machine == EM_NONE ||
	    header.e_machine != pe_elf_machine(image))
		return error_set(error, -ESTALE, "it is for another machine");
	if (image->image_size > IMAGE_LARGEST)
		return error_set(error, -ESTALE, "the image claims to be larger than 1 GiB");
	layout.arm = header.e_machine == EM_AARCH64;
	if (!mark_relocations(&layout))
		return error_set(error, -ENOMEM, "no memory");
	*moved = 0;
	code = check_moved(&layout, *moved, error);
	if (code && first_moved(&layout)) {
		*moved = first_moved(&layout);
		code = check_moved(&layout, *moved, error);
	}
	free(layout.relocated);
	return code;
}
