/* SPDX-License-Identifier: MIT */
/* The functions that an ELF64 file's .symtab names, out of foreign bytes. Pure; thread. */
#ifndef COMMAND_ELF_SYMBOLS_H
#define COMMAND_ELF_SYMBOLS_H

#include <stdint.h>

/* One of them: where it was linked, bytes (0: unknown), and its name, NUL-terminated in the file
 * and not empty. Other than 0 ends the walk. */
typedef int (*elf_symbol_fn)(void *context, uint64_t address, uint64_t size, const char *name);

/* Have take called for each defined function of size bytes of any content, in their order. 0;
 * -ENOENT: the file has no symbols (it is stripped, say, or no ELF file); or what take returned. */
int elf_symbols(const void *file, uint64_t size, elf_symbol_fn take, void *context);

#endif
