/* SPDX-License-Identifier: MIT */
/* A small static PIE made with the system's <elf.h>: for the loader's test and fuzzer. */
#ifndef TESTS_UNIT_COMMAND_ELF_FILE_H
#define TESTS_UNIT_COMMAND_ELF_FILE_H

#include <elf.h>
#include <string.h>

#define ELF_FILE_TEXT   0x1000U /* place of its parts, in the file and linked */
#define ELF_FILE_RODATA 0x2000U
#define ELF_FILE_DATA   0x3000U
#define ELF_FILE_BSS    0x800U  /* bytes */
#define ELF_FILE_WORD   0x3ab5U /* the relocated word must point at this */

enum {
	ELF_FILE_TEXT_SEGMENT,
	ELF_FILE_RODATA_SEGMENT,
	ELF_FILE_DATA_SEGMENT,
	ELF_FILE_DYNAMIC,
	ELF_FILE_NOTE,
	ELF_FILE_HEADERS
};

struct elf_file {
	Elf64_Ehdr header;
	Elf64_Phdr segments[ELF_FILE_HEADERS];
	uint8_t
	    padding_0[ELF_FILE_TEXT - sizeof(Elf64_Ehdr) - ELF_FILE_HEADERS * sizeof(Elf64_Phdr)];
	uint8_t text[0x100];
	uint8_t padding_1[0xf00];
	struct {
		Elf64_Nhdr header;
		char name[4];
		uint8_t id[20];
	} note;
	uint8_t padding_2[4];
	Elf64_Rela relocations[2];
	uint8_t padding_3[0x1000 - 40 - 48];
	Elf64_Dyn dynamic[4];
	uint64_t words[8];
};
_Static_assert(offsetof(struct elf_file, text) == ELF_FILE_TEXT, "text");
_Static_assert(offsetof(struct elf_file, note) == ELF_FILE_RODATA, "rodata");
_Static_assert(offsetof(struct elf_file, dynamic) == ELF_FILE_DATA, "data");

static inline Elf64_Phdr elf_file_part(uint32_t type, uint32_t flags, uint64_t at, uint64_t size,
                                       uint64_t memory)
{
	return (Elf64_Phdr){ type, flags, at, at, at, size, memory, 0x1000 };
}

static inline void elf_file_make(struct elf_file *f, uint16_t machine)
{
	uint64_t relative = machine == EM_AARCH64 ? R_AARCH64_RELATIVE : R_X86_64_RELATIVE;
	uint64_t data = sizeof(f->dynamic) + sizeof(f->words);

	memset(f, 0, sizeof(*f));
	f->header = (Elf64_Ehdr){
		.e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT },
		.e_type = ET_DYN,
		.e_machine = machine,
		.e_version = EV_CURRENT,
		.e_entry = ELF_FILE_TEXT + 0x10,
		.e_phoff = sizeof(Elf64_Ehdr),
		.e_ehsize = sizeof(Elf64_Ehdr),
		.e_phentsize = sizeof(Elf64_Phdr),
		.e_phnum = ELF_FILE_HEADERS,
	};
	f->segments[0] = elf_file_part(PT_LOAD, PF_R | PF_X, ELF_FILE_TEXT, 0x100, 0x100);
	f->segments[1] = elf_file_part(PT_LOAD, PF_R, ELF_FILE_RODATA, 0x100, 0x100);
	f->segments[2] =
	    elf_file_part(PT_LOAD, PF_R | PF_W, ELF_FILE_DATA, data, data + ELF_FILE_BSS);
	f->segments[3] = elf_file_part(PT_DYNAMIC, PF_R | PF_W, ELF_FILE_DATA, sizeof(f->dynamic),
	                               sizeof(f->dynamic));
	f->segments[4] =
	    elf_file_part(PT_NOTE, PF_R, ELF_FILE_RODATA, sizeof(f->note), sizeof(f->note));
	memset(f->text, 0xc3, sizeof(f->text));
	f->note.header = (Elf64_Nhdr){ 4, sizeof(f->note.id), NT_GNU_BUILD_ID };
	memcpy(f->note.name, "GNU", 4);
	memset(f->note.id, 0xb1, sizeof(f->note.id));
	f->relocations[0] =
	    (Elf64_Rela){ offsetof(struct elf_file, words), relative, ELF_FILE_WORD };
	f->relocations[1] =
	    (Elf64_Rela){ offsetof(struct elf_file, words) + 12, relative, ELF_FILE_TEXT };
	f->dynamic[0] = (Elf64_Dyn){ DT_RELA, { offsetof(struct elf_file, relocations) } };
	f->dynamic[1] = (Elf64_Dyn){ DT_RELASZ, { sizeof(f->relocations) } };
	f->dynamic[2] = (Elf64_Dyn){ DT_RELAENT, { sizeof(Elf64_Rela) } };
	f->words[7] = 77;
}

#endif
