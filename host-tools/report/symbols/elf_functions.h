/* SPDX-License-Identifier: MIT */
/* The functions that an ELF file's symbol table names. Thread: the one that made it. */
#ifndef HOST_TOOLS_REPORT_SYMBOLS_ELF_FUNCTIONS_H
#define HOST_TOOLS_REPORT_SYMBOLS_ELF_FUNCTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct function {
	uint64_t offset; /* in the file */
	uint64_t size;   /* 0: nobody knows */
	char *name;
	unsigned binding; /* STB_* */
	uint32_t order;   /* in the symbol table */
};

struct elf_functions {
	struct function *all; /* by offset, of each the name that perf shows */
	size_t count;
};

/* A function's name as its source has it: C++ and Rust names as perf shows them, without parameters
 * and hashes. To be freed; NULL: no memory. */
char *elf_functions_plain(const char *name);

/* Those of the file at path; functions is empty before, and to be freed after. False: it is no ELF
 * file, or cannot be read. */
bool elf_functions_load(struct elf_functions *functions, const char *path);

/* The last function that begins at or before offset, if it reaches that far; one of size 0 (written
 * in assembly) reaches to the next. NULL: there is none. */
const struct function *elf_functions_find(const struct elf_functions *functions, uint64_t offset);

/* How many bytes one of those is; of size 0: up to the next. 0: it is the last. */
uint64_t elf_functions_reach(const struct elf_functions *functions,
                             const struct function *function);

void elf_functions_free(struct elf_functions *functions);

#endif
