/* SPDX-License-Identifier: MIT */
/* Finds the functions in an ELF64 file's .symtab, from untrusted bytes. Pure; thread. */
#ifndef COMMAND_ELF_SYMBOLS_H
#define COMMAND_ELF_SYMBOLS_H

#include <stdint.h>

/* Receives one function: its link address, its size in bytes (0: unknown), and its name, which is
 * not empty and NUL-terminated in the file. A result other than 0 ends the walk. */
typedef int (*elf_symbol_fn)(void *context, uint64_t address, uint64_t size, const char *name);

/* Calls take for each defined function, in file order. The file is size bytes of any content. 0;
 * -ENOENT: the file has no symbols (for example, it is stripped or not an ELF file); or take's
 * result. */
int elf_symbols(const void *file, uint64_t size, elf_symbol_fn take, void *context);

#endif
