/* SPDX-License-Identifier: MIT */
/*
 * Chooses one of several names for an address in a symbol table: the one that perf shows. Source:
 * perf report's behaviour with perf 6.1 and 6.12, which tests/e2e compares.
 */
#ifndef HOST_TOOLS_PE_ALIAS_H
#define HOST_TOOLS_PE_ALIAS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A name's rank among the names of its address. The highest rank is used, and of equal ranks the
 * first in the table. In order: names with a size precede names without; strong names precede weak
 * ones; global names precede local ones; then the fewest leading underscores; then the longest.
 * binding: ELF's STB_*. */
uint64_t alias_rank(bool has_size, unsigned binding, const char *name);

/* Whether the name is one of Arm's mapping symbols, which mark where code (`$x`, `$a`, `$t`) or
 * data (`$d`) begins; a suffix may follow a dot. They are not functions. Source: ELF for the Arm
 * 64-bit Architecture, "Mapping symbols". */
bool alias_is_mapping(const char *name);

#endif
