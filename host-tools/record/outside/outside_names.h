/* SPDX-License-Identifier: MIT */
/*
 * Linux's list of its functions, as /proc/kallsyms and System.map have it: lines of a hexadecimal
 * address, a letter, a name, and for a module's function the module in brackets (proc_kallsyms(5),
 * nm(1)). Main thread.
 */
#ifndef HOST_TOOLS_RECORD_OUTSIDE_OUTSIDE_NAMES_H
#define HOST_TOOLS_RECORD_OUTSIDE_OUTSIDE_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "abi/outside.h"
#include "writer/util/error.h"

struct outside_name {
	uint64_t address;
	uint64_t size;    /* up to the next address */
	const char *name; /* within the text; length bytes */
	size_t length;
};

struct outside_names {
	struct outside_name *all; /* ascending, one for each address; the kernel's own code */
	size_t count;
	struct tr_image image; /* of all of them; the build-id is a hash of the text */
};

/* Whether the first line is one of such a list. */
bool outside_names_are_meant(const char *text, size_t size);

/* names: empty, and freed by the caller. text must stay. -EPROTO: a line is damaged; -ENODATA: no
 * code, or all addresses are 0; -ERANGE: the addresses lie too far apart for one image. */
int outside_names_parse(struct outside_names *names, const char *text, size_t size,
                        struct error *error);

/* Writes an ELF file with these functions for perf to fd, an empty file. The code itself is a hole.
 * machine: EM_*. */
int outside_names_write(const struct outside_names *names, int fd, uint16_t machine,
                        struct error *error);

void outside_names_free(struct outside_names *names);

#endif
