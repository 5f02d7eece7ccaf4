/* SPDX-License-Identifier: MIT */
/* Disassembles a function by capstone. Thread: any. */
#ifndef HOST_TOOLS_REPORT_SYMBOLS_DISASSEMBLY_H
#define HOST_TOOLS_REPORT_SYMBOLS_DISASSEMBLY_H

#include <stdint.h>

#include "host-tools/report/symbols/symbols.h"

/* Called for an instruction with its size and its text, as GNU's disassembler prints it. A negative
 * return value stops disassemble(). */
typedef int (*disassembly_fn)(void *context, uint64_t address, uint16_t size, const char *text);

/* Call tell for every instruction of a function of an x86_64 or aarch64 ELF file, up to the first
 * bytes that are not an instruction. The bytes are the file's; changes that the machine made in
 * memory are not visible. 0; -ENOEXEC: the file cannot be read, or is for another architecture; or
 * the negative value that tell returned. */
int disassemble(const struct symbol_code *function, disassembly_fn tell, void *context);

#endif
