/* SPDX-License-Identifier: MIT */
/* The set-up of each test of an image and its ELF file. */
#ifndef TESTS_UNIT_HOST_TOOLS_PE_PE_RIG_H
#define TESTS_UNIT_HOST_TOOLS_PE_PE_RIG_H

#include "tests/unit/host-tools/pe/made_elf.h"

/* The only ones in the test program. */
static struct made_elf made;
static struct error error;

static inline int pe_rig_setup(void **state)
{
	(void)state;
	made_elf_make(&made);
	error.text[0] = 0;
	return 0;
}

static inline int pe_rig_teardown(void **state)
{
	(void)state;
	made_elf_free(&made);
	return 0;
}

#endif
