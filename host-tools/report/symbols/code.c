/* SPDX-License-Identifier: MIT */
#include "host-tools/report/symbols/code.h"

#include <capstone/capstone.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

struct code {
	int fd;
	Elf *elf;
	csh handle;
	cs_insn *instruction;
	const uint8_t *bytes; /* bytes of the whole file */
	size_t size;
	bool is_x86;
};

/* Read the file. Returns its ELF machine; 0: the file is not an ELF file. */
static uint16_t read_file(struct code *code, const char *path)
{
	GElf_Ehdr header;

	code->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (code->fd >= 0)
		code->elf = elf_begin(code->fd, ELF_C_READ_MMAP, NULL);
	if (!code->elf || !gelf_getehdr(code->elf, &header))
		return 0;
	code->bytes = (const uint8_t *)elf_rawfile(code->elf, &code->size);
	return code->bytes ? header.e_machine : 0;
}

static bool open_capstone(struct code *code, uint16_t machine)
{
	code->is_x86 = machine == EM_X86_64;
	if (code->is_x86 && cs_open(CS_ARCH_X86, CS_MODE_64, &code->handle) == CS_ERR_OK)
		cs_option(code->handle, CS_OPT_SYNTAX, CS_OPT_SYNTAX_ATT);
	else if (machine != EM_AARCH64 ||
	         cs_open(CS_ARCH_ARM64, CS_MODE_ARM, &code->handle) != CS_ERR_OK)
		return false;
	cs_option(code->handle, CS_OPT_DETAIL, CS_OPT_ON);
	code->instruction = cs_malloc(code->handle);
	return code->instruction;
}

struct code *code_open(const char *path)
{
	struct code *code = calloc(1, sizeof(*code));

	elf_version(EV_CURRENT);
	if (code && open_capstone(code, read_file(code, path)))
		return code;
	code_close(code);
	return NULL;
}

void code_close(struct code *code)
{
	if (!code)
		return;
	if (code->instruction)
		cs_free(code->instruction, 1);
	if (code->handle)
		cs_close(&code->handle);
	elf_end(code->elf);
	if (code->fd >= 0)
		close(code->fd);
	free(code);
}

static enum code_kind kind_of_x86(const struct code *code)
{
	switch (code->instruction->id) {
	case X86_INS_JMP:
	case X86_INS_LJMP:
		return CODE_JUMP;
	case X86_INS_CALL:
	case X86_INS_LCALL:
		return CODE_CALL;
	case X86_INS_RET:
	case X86_INS_RETF:
	case X86_INS_RETFQ:
		return CODE_RETURN;
	case X86_INS_IRET:
	case X86_INS_IRETD:
	case X86_INS_IRETQ:
	case X86_INS_SYSRET:
	case X86_INS_SYSEXIT:
		return CODE_IRET;
	case X86_INS_INT:
	case X86_INS_INT1:
	case X86_INS_INT3:
	case X86_INS_SYSCALL:
	case X86_INS_SYSENTER:
		return CODE_TRAP;
	case X86_INS_LOOP:
	case X86_INS_LOOPE:
	case X86_INS_LOOPNE:
	case X86_INS_JCXZ:
	case X86_INS_JECXZ:
	case X86_INS_JRCXZ:
		return CODE_CONDITIONAL;
	default:
		return cs_insn_group(code->handle, code->instruction, CS_GRP_JUMP)
		           ? CODE_CONDITIONAL
		           : CODE_OTHER;
	}
}

static uint32_t word_at(const uint8_t *bytes)
{
	return bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 |
	       (uint32_t)bytes[3] << 24;
}

/* Branches through a register by the field that says which (Arm ARM, C4.1.66); bit 3 is pointer
 * authentication's. */
static enum code_kind kind_of_word(uint32_t word)
{
	if ((word & 0xfe000000) != 0xd6000000)
		return CODE_OTHER;
	switch (word >> 21 & 7) {
	case 0:
		return CODE_JUMP;
	case 1:
		return CODE_CALL;
	case 2:
		return CODE_RETURN;
	case 4:
		return CODE_IRET;
	default:
		return CODE_OTHER;
	}
}

static enum code_kind kind_of_arm(const struct code *code)
{
	switch (code->instruction->id) {
	case ARM64_INS_B:
		return code->instruction->detail->arm64.cc == ARM64_CC_INVALID ? CODE_JUMP
		                                                               : CODE_CONDITIONAL;
	case ARM64_INS_BR:
		return CODE_JUMP;
	case ARM64_INS_BL:
	case ARM64_INS_BLR:
		return CODE_CALL;
	case ARM64_INS_RET:
		return CODE_RETURN;
	case ARM64_INS_ERET:
		return CODE_IRET;
	case ARM64_INS_SVC:
	case ARM64_INS_HVC:
	case ARM64_INS_SMC:
	case ARM64_INS_BRK:
		return CODE_TRAP;
	case ARM64_INS_CBZ:
	case ARM64_INS_CBNZ:
	case ARM64_INS_TBZ:
	case ARM64_INS_TBNZ:
		return CODE_CONDITIONAL;
	default:
		return kind_of_word(word_at(code->instruction->bytes));
	}
}

/* Get the target of a direct branch, which is its last operand. */
static bool target_of(const struct code *code, uint64_t *target)
{
	const cs_detail *detail = code->instruction->detail;
	unsigned count = code->is_x86 ? detail->x86.op_count : detail->arm64.op_count;

	if (!count)
		return false;
	if (code->is_x86) {
		const cs_x86_op *last = &detail->x86.operands[count - 1];

		*target = (uint64_t)last->imm;
		return last->type == X86_OP_IMM;
	}
	*target = (uint64_t)detail->arm64.operands[count - 1].imm;
	return detail->arm64.operands[count - 1].type == ARM64_OP_IMM;
}

/* Arm's UDF (bits 31 to 16 are 0) is no code but data or padding; capstone 5 decodes it. Nor are
 * fewer bytes than an instruction has. */
static bool code_is_data(const struct code *code, uint64_t offset)
{
	return !code->is_x86 &&
	       (code->size - offset < sizeof(uint32_t) || !(word_at(code->bytes + offset) >> 16));
}

/* An instruction of Arm's that capstone does not know: version 4 has only Armv8.0's. Its size and
 * kind are known all the same. */
static bool code_unknown(const struct code *code, uint64_t offset,
                         struct code_instruction *instruction)
{
	cs_insn *found = code->instruction;
	uint32_t word;

	if (code->is_x86)
		return false;
	word = word_at(code->bytes + offset);
	snprintf(found->mnemonic, sizeof(found->mnemonic), ".inst");
	snprintf(found->op_str, sizeof(found->op_str), "0x%08x", word);
	*instruction = (struct code_instruction){
		.size = sizeof(word),
		.kind = kind_of_word(word),
		.mnemonic = found->mnemonic,
		.operands = found->op_str,
	};
	return true;
}

bool code_at(struct code *code, uint64_t offset, uint64_t address,
             struct code_instruction *instruction)
{
	const uint8_t *bytes = code->bytes + offset;
	size_t size = code->size - offset;
	const cs_insn *found = code->instruction;

	if (offset >= code->size || code_is_data(code, offset))
		return false;
	if (!cs_disasm_iter(code->handle, &bytes, &size, &address, code->instruction))
		return code_unknown(code, offset, instruction);
	*instruction = (struct code_instruction){
		.size = found->size,
		.kind = code->is_x86 ? kind_of_x86(code) : kind_of_arm(code),
		.mnemonic = found->mnemonic,
		.operands = found->op_str,
	};
	if (instruction->kind == CODE_CONDITIONAL || instruction->kind == CODE_CALL ||
	    instruction->kind == CODE_JUMP)
		instruction->direct = target_of(code, &instruction->target);
	return true;
}
