/* SPDX-License-Identifier: MIT */
/* The instructions of an x86_64 or aarch64 ELF file, by capstone. Thread: the one that opened it.
 */
#ifndef HOST_TOOLS_REPORT_SYMBOLS_CODE_H
#define HOST_TOOLS_REPORT_SYMBOLS_CODE_H

#include <stdbool.h>
#include <stdint.h>

enum code_kind {
	CODE_OTHER,       /* goes on behind itself */
	CODE_CONDITIONAL, /* may */
	CODE_CALL,        /* does later */
	CODE_TRAP,        /* does later, if somebody wants: INT, SYSCALL, SVC */
	CODE_JUMP,        /* this and those below do not */
	CODE_RETURN,
	CODE_IRET, /* or ERET */
};

struct code_instruction {
	uint64_t size;
	enum code_kind kind;
	bool direct; /* where it jumps to is known: target */
	uint64_t target;
	const char *mnemonic, *operands; /* as GNU's disassembler has them; until the next one */
};

struct code;

/* NULL: the file cannot be read, or is of another architecture. */
struct code *code_open(const char *path);
void code_close(struct code *code);

/* The instruction at this offset of the file, as it is at that address. False: there is none. The
 * code is the file's: what the machine changed in it is not seen. */
bool code_at(struct code *code, uint64_t offset, uint64_t address,
             struct code_instruction *instruction);

#endif
