/* SPDX-License-Identifier: MIT */
/* Decodes the instructions of an x86_64 or aarch64 ELF file by capstone. Thread: the thread that
 * opened the file. */
#ifndef HOST_TOOLS_REPORT_SYMBOLS_CODE_H
#define HOST_TOOLS_REPORT_SYMBOLS_CODE_H

#include <stdbool.h>
#include <stdint.h>

enum code_kind {
	CODE_OTHER,       /* the next instruction in memory follows */
	CODE_CONDITIONAL, /* conditional branch: jumps, or the next one follows */
	CODE_CALL,        /* the next one follows after the return */
	CODE_TRAP,        /* INT, SYSCALL, SVC: the next one may follow later */
	CODE_JUMP,        /* from here on: the next one does not follow */
	CODE_RETURN,
	CODE_IRET, /* IRET or ERET */
};

struct code_instruction {
	uint64_t size;
	enum code_kind kind;
	bool direct; /* target is known from the instruction alone */
	uint64_t target;
	const char *mnemonic, *operands; /* GNU style; valid until the next call */
};

struct code;

/* Open the ELF file at path. NULL: the file cannot be read, or is for another architecture. */
struct code *code_open(const char *path);
void code_close(struct code *code);

/* Decode the instruction at this offset of the file. address: its address on the machine. False: no
 * instruction is at this offset. The bytes are the file's; changes that the machine made in memory
 * are not visible. */
bool code_at(struct code *code, uint64_t offset, uint64_t address,
             struct code_instruction *instruction);

#endif
