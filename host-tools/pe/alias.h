/* SPDX-License-Identifier: MIT */
/*
 * Which name counts where a symbol table has several for one address: the one that perf shows.
 * Source: perf report's behaviour with perf 6.1 and 6.12, which tests/e2e compares.
 */
#ifndef HOST_TOOLS_PE_ALIAS_H
#define HOST_TOOLS_PE_ALIAS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A name's rank among those of its address; the highest counts, of equal ones the first in the
 * table: names with a size before those without, then strong ones before weak ones, global ones
 * before local ones, those with fewer underscores in front, the longest. binding: ELF's STB_*. */
uint64_t alias_rank(bool has_size, unsigned binding, const char *name);

/* Arm's mapping symbols, which say where code (`$x`, `$a`, `$t`) or data (`$d`) begins; a suffix
 * follows a dot. They are no functions. Source: ELF for the Arm 64-bit Architecture, "Mapping
 * symbols". */
bool alias_is_mapping(const char *name);

#endif
