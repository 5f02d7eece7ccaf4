/* SPDX-License-Identifier: MIT */
#include "host-tools/report/disassembly.h"

#include <capstone/capstone.h>
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define MOST_CODE (64U << 10) /* bytes of a function */
#define UNSIZED   256U        /* of one that was written in assembly, which has no size */

static int open_capstone(uint16_t machine, csh *handle)
{
	if (machine == EM_X86_64 && cs_open(CS_ARCH_X86, CS_MODE_64, handle) == CS_ERR_OK) {
		cs_option(*handle, CS_OPT_SYNTAX, CS_OPT_SYNTAX_ATT);
		return 0;
	}
	if (machine == EM_AARCH64 && cs_open(CS_ARCH_ARM64, CS_MODE_ARM, handle) == CS_ERR_OK)
		return 0;
	return -ENOEXEC;
}

static int print_all(csh handle, const struct symbol_code *function, const uint8_t *bytes,
                     size_t size, disassembly_fn tell, void *context)
{
	cs_insn *instruction = cs_malloc(handle);
	uint64_t address = function->address;
	char text[256];
	int code = instruction ? 0 : -ENOMEM;

	while (!code && cs_disasm_iter(handle, &bytes, &size, &address, instruction)) {
		snprintf(text, sizeof(text), "%s%s%s", instruction->mnemonic,
		         *instruction->op_str ? " " : "", instruction->op_str);
		code = tell(context, instruction->address, instruction->size, text);
	}
	if (instruction)
		cs_free(instruction, 1);
	return code;
}

/* The machine that an ELF file is for; 0: it is none. */
static uint16_t machine_of(int fd)
{
	Elf *elf = elf_begin(fd, ELF_C_READ, NULL);
	GElf_Ehdr header;
	uint16_t machine = elf && gelf_getehdr(elf, &header) ? header.e_machine : 0;

	elf_end(elf);
	return machine;
}

int disassemble(const struct symbol_code *function, disassembly_fn tell, void *context)
{
	size_t size = function->size ? function->size : UNSIZED;
	int fd = open(function->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK), code = -ENOEXEC;
	uint8_t *bytes = malloc(MOST_CODE);
	ssize_t got = -1;
	csh handle;

	size = size < MOST_CODE ? size : MOST_CODE;
	if (fd >= 0 && bytes && function->offset <= INT64_MAX)
		got = pread(fd, bytes, size, (off_t)function->offset);
	if (got > 0)
		code = open_capstone(machine_of(fd), &handle);
	if (!code) {
		code = print_all(handle, function, bytes, (size_t)got, tell, context);
		cs_close(&handle);
	}
	free(bytes);
	if (fd >= 0)
		close(fd);
	return code;
}
