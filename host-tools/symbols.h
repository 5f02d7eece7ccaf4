/* SPDX-License-Identifier: MIT */
/*
 * Addresses to function names: the mappings that a recording tells of (MMAP2),
 * and the symbol tables of the ELF files behind them.
 */
#ifndef HOST_TOOLS_SYMBOLS_H
#define HOST_TOOLS_SYMBOLS_H

#include <stdint.h>

#include "ringbuf/perf_event.h"

struct symbols;

/* NULL if memory is short. */
struct symbols *symbols_new(void);
void symbols_free(struct symbols *symbols);

/* Learn a mapping from a whole PERF_RECORD_MMAP2; other records are ignored. A file that cannot
 * be read has no symbols: its addresses stay numbers. */
void symbols_add(struct symbols *symbols, const struct perf_event_header *record);

/*
 * The function at address. The name stays valid until symbols_free(); where nobody knows one
 * it is made of the file's name and the offset in it, or of the address. Never NULL.
 */
const char *symbols_name(struct symbols *symbols, uint64_t address);

#endif
