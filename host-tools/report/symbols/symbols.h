/* SPDX-License-Identifier: MIT */
/*
 * Turns addresses into function names, by the mappings of a recording (MMAP2, MMAP records) and the
 * symbol tables of the mapped ELF files.
 */
#ifndef HOST_TOOLS_REPORT_SYMBOLS_SYMBOLS_H
#define HOST_TOOLS_REPORT_SYMBOLS_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "abi/perf_event.h"
#include "host-tools/pe/pe_search.h"

struct symbols;

/* Create an empty table. search says where to look for the functions of UEFI images; it may be
 * NULL, and must stay valid. NULL: memory ran out. */
struct symbols *symbols_new(struct pe_search *search);
void symbols_free(struct symbols *symbols);

/* Learn from a file's BUILD_ID section which build of each mapped file was recorded. A file is read
 * only if it is the recorded build; otherwise perf's build-id cache is searched; if the build is
 * not found, no file is read, and a message on standard error reports this. Call it before
 * symbols_add(). bytes may be NULL: the file has no such section. */
void symbols_build_ids(struct symbols *symbols, const uint8_t *bytes, size_t size);

/* Learn a mapping from a whole PERF_RECORD_MMAP2 or MMAP; other records are ignored. time: ns, when
 * the mapping was made; 0: it existed from the start. If the mapped file cannot be read, its
 * addresses have no names. At most 65,536 mappings are kept; a message on standard error reports
 * that more were dropped. */
void symbols_add(struct symbols *symbols, const struct perf_event_header *record, uint64_t time);

/* Translate an address of the given time (ns; 0: unknown) for the other functions here. Nearly
 * always the result is the address itself. If another file was mapped at the address at that time,
 * the result is a made-up address, which must not be shown to the user. A file that is loaded
 * several times at one place always has the same made-up addresses. Call it after all mappings were
 * added. */
uint64_t symbols_at(const struct symbols *symbols, uint64_t address, uint64_t time);

/* Translate a result of symbols_at() back to the machine's address. */
uint64_t symbols_real(const struct symbols *symbols, uint64_t address);

/* The symbol at an address. The texts stay valid until symbols_free(). All mappings of a file have
 * the same pointers. */
struct symbol {
	const char *file;   /* base name; NULL: no mapping has the address */
	const char *module; /* a UEFI image's name; else NULL */
	const char *name;   /* function's name; NULL: unknown */
	uint64_t offset;    /* offset in the file; without a file the address */
	bool is_cold;       /* the function is a part that a compiler moved away: NAME.cold */
};
struct symbol symbols_find(const struct symbols *symbols, uint64_t address);

/* The ELF file from which the names around an address were read. It is the recorded build. NULL: no
 * such file. Valid until symbols_free(). */
const char *symbols_elf(const struct symbols *symbols, uint64_t address);

/* Get mapping number `number`; mappings are in the order in which they were added. False: no more
 * mappings. */
struct symbol_mapping {
	const char *file; /* base name */
	const char *path; /* ELF file of the recorded build; NULL: none */
	uint64_t start, end;
	uint64_t file_offset; /* offset of start in the file */
};
bool symbols_mapping(const struct symbols *symbols, size_t number, struct symbol_mapping *mapping);

/* Get function number `number` of a mapping; functions are sorted by address. False: no more
 * functions. */
bool symbols_function(const struct symbols *symbols, size_t mapping, size_t number,
                      struct symbol *function);

/* The location of a function's code. */
struct symbol_code {
	const char *path; /* the ELF file */
	uint64_t offset;  /* offset in the ELF file */
	uint64_t size;    /* if the symbol has no size: up to the next; 0: unknown */
	uint64_t address; /* address of the first byte in the recording */
};

/* Get the code of the function around an address. False: the function is unknown. */
bool symbols_code(const struct symbols *symbols, uint64_t address, struct symbol_code *code);

/* The name of the function at address. NULL: unknown. Valid until symbols_free(). symbols may be
 * NULL. */
const char *symbols_known(struct symbols *symbols, uint64_t address);

/*
 * The name of the function at address. If the function is unknown, the name is made of the file's
 * or module's name and the offset, or of the address. Never NULL. Valid until symbols_free().
 */
const char *symbols_name(struct symbols *symbols, uint64_t address);

#endif
