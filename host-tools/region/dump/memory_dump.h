/* SPDX-License-Identifier: MIT */
/*
 * Reads a machine's memory from a file: a region file, a raw dump (QEMU's pmemsave), an ELF core
 * (dump-guest-memory), or, if the tool was built with libkdumpfile, compressed pages
 * (dump-guest-memory -z, makedumpfile). Each kind provides a list of address ranges and a function
 * that copies their bytes. The code checks every header field of the file before it uses the field.
 */
#ifndef HOST_TOOLS_REGION_DUMP_MEMORY_DUMP_H
#define HOST_TOOLS_REGION_DUMP_MEMORY_DUMP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "abi/trace_region.h"
#include "writer/util/error.h"

/* The machine's addresses [address, address + size). */
struct memory_range {
	uint64_t address; /* physical; in a raw dump with an unknown base, the file offset */
	uint64_t size;    /* > 0; the range ends at or below 2^64 - 1 */
	/* file offset of the bytes; MEMORY_ZEROS: the bytes are 0 and not stored */
	uint64_t offset;
};
#define MEMORY_ZEROS UINT64_MAX

struct memory_dump {
	const char *kind; /* the kind's name, for messages */
	bool has_addresses;
	struct memory_range *ranges; /* ascending; no range touches another */
	size_t count;
	const uint8_t *bytes; /* the file, mapped; the machine may write to the file meanwhile */
	size_t size;
	bool mapped; /* this code mapped bytes, and must unmap them */
	void *own;   /* private data of a kind that stores no plain bytes; NULL: none */
	/* Copies bytes that lie within one range. */
	int (*copy)(struct memory_dump *dump, uint64_t address, void *to, size_t size,
	            struct error *error);
	void (*close)(struct memory_dump *dump); /* frees own's data */
	/* Only for a kind that omits pages: the number of omitted pages that were read as zeros. */
	uint64_t absent;
	uint64_t first_absent; /* the first such page's address */
};

/* Opens the file and detects its kind by the first bytes. base: physical address of a raw dump's
 * first byte; UINT64_MAX: unknown. Other kinds store their addresses. */
int memory_dump_open(struct memory_dump *dump, const char *path, uint64_t base,
                     struct error *error);

/* Treats bytes in our memory as a raw dump. The caller keeps the bytes. -ENOMEM. */
int memory_dump_raw(struct memory_dump *dump, const void *bytes, size_t size, uint64_t base,
                    struct error *error);

void memory_dump_close(struct memory_dump *dump);

/* Copies size bytes that start at address, across ranges. The destination must hold zeros: the
 * function skips zero bytes. -ENXIO: no range holds the address that error names. */
int memory_dump_copy(struct memory_dump *dump, uint64_t address, void *to, size_t size,
                     struct error *error);

/* Returns a pointer to the bytes if the file stores them contiguously, else NULL. */
const void *memory_dump_at(const struct memory_dump *dump, uint64_t address, size_t size);

/* A trace region that the search found. */
struct memory_region {
	uint64_t address;        /* the region's address in the dump */
	struct tr_header header; /* a copy, whose size and tables were checked */
};

#define MEMORY_REGIONS 16 /* the search stops after this many */

/*
 * Searches for regions at multiples of 2 MiB, and, if none is found, at multiples of 4 KiB. If the
 * dump's addresses are unknown, the address in a region's header only has to be possible for its
 * file offset. Returns the number of regions. -ENOENT: no magic anywhere. Other errors: the reason
 * that refused the first candidate with a magic.
 */
int memory_dump_find(struct memory_dump *dump, struct memory_region found[MEMORY_REGIONS],
                     struct error *error);

/* ---- One function for each kind except raw. Returns 0: not this kind; 1: this kind, and dump is
 * filled in; negative errno: this kind, but damaged. ---- */

int memory_dump_elf(struct memory_dump *dump, struct error *error);
int memory_dump_kdump(struct memory_dump *dump, int fd, struct error *error);

/* Appends a range. A later step cuts overlapping ranges. -ENOMEM. */
int memory_dump_add(struct memory_dump *dump, const struct memory_range *range,
                    struct error *error);

#endif
