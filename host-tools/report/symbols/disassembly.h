/* SPDX-License-Identifier: MIT */
/* Code as text, by capstone. Thread: any. */
#ifndef HOST_TOOLS_REPORT_SYMBOLS_DISASSEMBLY_H
#define HOST_TOOLS_REPORT_SYMBOLS_DISASSEMBLY_H

#include <stdint.h>

#include "host-tools/report/symbols/symbols.h"

/* Told of an instruction: its size, and its text as GNU's disassembler has it. Negative to stop. */
typedef int (*disassembly_fn)(void *context, uint64_t address, uint16_t size, const char *text);

/* Every instruction of a function of an x86_64 or aarch64 ELF file, up to what is none. The code is
 * the file's: what the machine changed in it is not seen. 0; -ENOEXEC: the file cannot be read, or
 * is of another architecture; or what tell has said. */
int disassemble(const struct symbol_code *function, disassembly_fn tell, void *context);

#endif
