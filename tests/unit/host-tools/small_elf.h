/* SPDX-License-Identifier: MIT */
/* The smallest ELF file with a build-id and code. */
#ifndef TESTS_UNIT_HOST_TOOLS_SMALL_ELF_H
#define TESTS_UNIT_HOST_TOOLS_SMALL_ELF_H

#include <elf.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define SMALL_ELF_LINKED 0x1000 /* address of its code */
#define SMALL_ELF_ID     20     /* bytes */

struct small_elf {
	Elf64_Ehdr header;
	Elf64_Phdr segments[3];
	Elf64_Nhdr note;
	char owner[4];
	uint8_t id[SMALL_ELF_ID];
	uint8_t data[64], code[64];
};

/* Its build-id is this byte, repeated. */
static inline struct small_elf small_elf(uint8_t id)
{
	struct small_elf elf = {
		.header = { .e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64,
		                         ELFDATA2LSB, EV_CURRENT },
		            .e_type = ET_EXEC,
		            .e_machine = EM_X86_64,
		            .e_version = EV_CURRENT,
		            .e_phoff = offsetof(struct small_elf, segments),
		            .e_ehsize = sizeof(Elf64_Ehdr),
		            .e_phentsize = sizeof(Elf64_Phdr),
		            .e_phnum = 3 },
		.segments = { { .p_type = PT_NOTE,
		                .p_offset = offsetof(struct small_elf, note),
		                .p_filesz = offsetof(struct small_elf, data) -
		                            offsetof(struct small_elf, note),
		                .p_align = 4 },
		              /* data at the same addresses, not code */
		              { .p_type = PT_LOAD,
		                .p_flags = PF_R | PF_W,
		                .p_offset = offsetof(struct small_elf, data),
		                .p_vaddr = SMALL_ELF_LINKED,
		                .p_filesz = 64,
		                .p_memsz = 64 },
		              { .p_type = PT_LOAD,
		                .p_flags = PF_R | PF_X,
		                .p_offset = offsetof(struct small_elf, code),
		                .p_vaddr = SMALL_ELF_LINKED,
		                .p_filesz = 64,
		                .p_memsz = 128 } },
		.note = { .n_namesz = 4, .n_descsz = SMALL_ELF_ID, .n_type = NT_GNU_BUILD_ID },
		.owner = "GNU",
	};

	memset(elf.id, id, sizeof(elf.id));
	return elf;
}

#endif
