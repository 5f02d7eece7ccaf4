/* SPDX-License-Identifier: MIT */
/*
 * Addresses to function names: the mappings that a recording tells of (MMAP2, MMAP),
 * and the symbol tables of the ELF files behind them.
 */
#ifndef HOST_TOOLS_REPORT_SYMBOLS_SYMBOLS_H
#define HOST_TOOLS_REPORT_SYMBOLS_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "abi/perf_event.h"
#include "host-tools/pe/pe_search.h"

struct symbols;

/* NULL if memory is short. search, where UEFI images' functions are looked for, may be NULL, and
 * must stay. */
struct symbols *symbols_new(struct pe_search *search);
void symbols_free(struct symbols *symbols);

/* Learn from a file's BUILD_ID section which build of each mapping's file was recorded: the file is
 * read only if it is that one, else perf's cache is asked for it, else nothing is, and that is told
 * on standard error. Before symbols_add(); bytes may be NULL, as where there is no such section. */
void symbols_build_ids(struct symbols *symbols, const uint8_t *bytes, size_t size);

/* Learn a mapping from a whole PERF_RECORD_MMAP2 or MMAP, of that time (ns; 0: it was there from
 * the start); other records are ignored. A file that cannot be read has no symbols: its addresses
 * stay numbers. More than 65,536 are not kept, which is told on standard error. */
void symbols_add(struct symbols *symbols, const struct perf_event_header *record, uint64_t time);

/* Where at another time something else was mapped: what all the others here must be asked with to
 * get the answer of that time (ns; 0: nobody knows it), which is the address itself nearly always.
 * Else it is made up, the same for a file as often as it is loaded there, and for nobody to see.
 * When all mappings are known. */
uint64_t symbols_at(const struct symbols *symbols, uint64_t address, uint64_t time);

/* The machine's address, of one of symbols_at()'s. */
uint64_t symbols_real(const struct symbols *symbols, uint64_t address);

/* The symbol at an address. The texts stay valid until symbols_free(), and are the same pointers
 * for all mappings of a file. */
struct symbol {
	const char *file;   /* base name; NULL: in no mapping */
	const char *module; /* a UEFI image's name; else NULL */
	const char *name;   /* of the function; NULL: nobody knows */
	uint64_t offset;    /* in the file; the address itself if there is no file */
};
struct symbol symbols_find(const struct symbols *symbols, uint64_t address);

/* The ELF file that the names around an address were read from, which is of the build that was
 * recorded; NULL: there is none. Valid until symbols_free(). */
const char *symbols_elf(const struct symbols *symbols, uint64_t address);

/* A mapping, in the order in which they were told of. */
struct symbol_mapping {
	const char *file; /* base name */
	const char *path; /* the ELF file of the build that was recorded; NULL: there is none */
	uint64_t start, end;
	uint64_t file_offset; /* of start */
};
bool symbols_mapping(const struct symbols *symbols, size_t number, struct symbol_mapping *mapping);

/* A function of that mapping, in the order of their addresses; false: there are no more. */
bool symbols_function(const struct symbols *symbols, size_t mapping, size_t number,
                      struct symbol *function);

/* Where the code of the function around an address is. */
struct symbol_code {
	const char *path; /* the ELF file */
	uint64_t offset;  /* in it */
	uint64_t size;    /* where its symbol has none, up to the next; 0: nobody knows */
	uint64_t address; /* of its first byte on the machine, when it was recorded */
};

/* False where nobody knows a function. */
bool symbols_code(const struct symbols *symbols, uint64_t address, struct symbol_code *code);

/* The function at address; NULL: nobody knows. Valid until symbols_free(); symbols may be NULL. */
const char *symbols_known(struct symbols *symbols, uint64_t address);

/*
 * The function at address. The name stays valid until symbols_free(); where nobody knows one
 * it is made of the file's or the module's name and the offset in it, or of the address. Never
 * NULL.
 */
const char *symbols_name(struct symbols *symbols, uint64_t address);

#endif
