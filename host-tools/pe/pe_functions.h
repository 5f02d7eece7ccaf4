/* SPDX-License-Identifier: MIT */
/* The functions of a PE image: from its own COFF symbol table, or from the ELF file that it was
 * made of, which must have the same code at the same places. Main thread. */
#ifndef HOST_TOOLS_PE_PE_FUNCTIONS_H
#define HOST_TOOLS_PE_PE_FUNCTIONS_H

#include <libelf.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/parse/pe_image.h"
#include "writer/util/error.h"

struct pe_function {
	uint32_t rva, size; /* they do not overlap; size > 0 */
	char *name;
	uint64_t rank;  /* alias_rank() */
	uint32_t order; /* its place in the symbol table */
};

struct pe_functions {
	struct pe_function *all; /* by rva */
	size_t count;
};

/* From the ELF file, whose symbols are at their RVA - *moved. -ENODATA: it has none; -ESTALE: the
 * image was not made of it, error names the difference. functions must be empty; the caller frees
 * them. */
int pe_functions_of_elf(struct pe_functions *functions, const struct pe_image *image, Elf *elf,
                        int64_t *moved, struct error *error);

/* From the image's file. -ENODATA: it has no symbols. */
int pe_functions_of_coff(struct pe_functions *functions, const struct pe_image *image);

void pe_functions_free(struct pe_functions *functions);

#endif
