/* SPDX-License-Identifier: MIT */
/* The functions in an ELF file's symbol table. Thread: the thread that created the struct. */
#ifndef HOST_TOOLS_REPORT_SYMBOLS_ELF_FUNCTIONS_H
#define HOST_TOOLS_REPORT_SYMBOLS_ELF_FUNCTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct function {
	uint64_t offset; /* in the file */
	uint64_t size;   /* 0: unknown */
	char *name;
	bool is_cold; /* a compiler moved it away from its function: NAME.cold, _Z4nameb.cold.1 */
	unsigned binding; /* STB_* */
	uint32_t order;   /* in the symbol table */
};

struct elf_functions {
	struct function *all; /* sorted by offset; one name each, the one that perf shows */
	size_t count;
};

/* Demangle a C++ or Rust name like perf, without parameters and hashes. The caller frees the
 * result. NULL: memory ran out. */
char *elf_functions_plain(const char *name);

/* Load the functions of the ELF file at path. functions must be empty before the call, and must be
 * freed after it. False: the file is not an ELF file, or cannot be read. */
bool elf_functions_load(struct elf_functions *functions, const char *path);

/* Find the function that contains offset. A function of size 0 (written in assembly) reaches to the
 * next function. NULL: no function contains offset. */
const struct function *elf_functions_find(const struct elf_functions *functions, uint64_t offset);

/* The size in bytes of a function of functions->all. A function of size 0 reaches to the next
 * function. 0: it has no size and is the last. */
uint64_t elf_functions_reach(const struct elf_functions *functions,
                             const struct function *function);

void elf_functions_free(struct elf_functions *functions);

#endif
