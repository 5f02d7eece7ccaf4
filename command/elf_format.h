/* SPDX-License-Identifier: MIT */
/* ELF64 structures of the System V ABI, limited to those that command/elf*.c use. */
#ifndef COMMAND_ELF_FORMAT_H
#define COMMAND_ELF_FORMAT_H

#include <stdint.h>

#include "abi/machine.h"

#define ELF_MAGIC   0x464c457fU /* 0x7f, "ELF" */
#define ELFCLASS64  2
#define ELFDATA2LSB 1
#define ET_EXEC     2
#define ET_DYN      3

struct elf_header {
	uint32_t magic;
	uint8_t class, data, ident_version, rest[9];
	uint16_t type, machine;
	uint32_t version;
	uint64_t entry, phoff, shoff;
	uint32_t flags;
	uint16_t ehsize, phentsize, phnum, shentsize, shnum, shstrndx;
};
_Static_assert(sizeof(struct elf_header) == 64, "Elf64_Ehdr");

#define PT_LOAD    1
#define PT_DYNAMIC 2
#define PT_INTERP  3
#define PT_NOTE    4
#define PT_TLS     7
#define PF_X       1U
#define PF_W       2U

struct elf_program_header {
	uint32_t type, flags;
	uint64_t offset, vaddr, paddr, filesz, memsz, align;
};
_Static_assert(sizeof(struct elf_program_header) == 56, "Elf64_Phdr");

#define DT_NULL     0
#define DT_NEEDED   1
#define DT_PLTRELSZ 2
#define DT_RELA     7
#define DT_RELASZ   8
#define DT_RELAENT  9
#define DT_RELSZ    18
#define DT_RELRSZ   35

struct elf_dynamic {
	uint64_t tag, value;
};

#define R_X86_64_RELATIVE  8
#define R_AARCH64_RELATIVE 1027

struct elf_rela {
	uint64_t offset, info, addend;
};

#define SHT_SYMTAB 2
#define SHT_STRTAB 3

struct elf_section_header {
	uint32_t name, type;
	uint64_t flags, addr, offset, size;
	uint32_t link, info;
	uint64_t addralign, entsize;
};
_Static_assert(sizeof(struct elf_section_header) == 64, "Elf64_Shdr");

#define STT_FUNC  2
#define SHN_UNDEF 0

struct elf_symbol {
	uint32_t name;
	uint8_t info, other;
	uint16_t section;
	uint64_t value, size;
};
_Static_assert(sizeof(struct elf_symbol) == 24, "Elf64_Sym");

#define NT_GNU_BUILD_ID 3

struct elf_note {
	uint32_t namesz, descsz, type;
};

#endif
