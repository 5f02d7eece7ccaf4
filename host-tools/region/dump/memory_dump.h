/* SPDX-License-Identifier: MIT */
/*
 * A machine's memory as a file has it: a region file, a raw dump (QEMU's pmemsave), an ELF core
 * (dump-guest-memory), or compressed pages (dump-guest-memory -z, makedumpfile) where the tool was
 * built with libkdumpfile. Every kind is a list of ranges of addresses, and bytes that can be
 * copied; what the file says of itself is checked before it is used.
 */
#ifndef HOST_TOOLS_REGION_DUMP_MEMORY_DUMP_H
#define HOST_TOOLS_REGION_DUMP_MEMORY_DUMP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "abi/trace_region.h"
#include "writer/util/error.h"

/* Addresses [address, address + size) of the machine. */
struct memory_range {
	uint64_t
	    address;   /* physical; of a raw dump whose base is not known, the place in the file */
	uint64_t size; /* > 0; ends at 2^64 - 1 at the most */
	uint64_t offset; /* of its bytes in the file; MEMORY_ZEROS: they are 0, and not there */
};
#define MEMORY_ZEROS UINT64_MAX

struct memory_dump {
	const char *kind; /* for people */
	bool has_addresses;
	struct memory_range *ranges; /* ascending, apart from each other */
	size_t count;
	const uint8_t *bytes; /* the file, mapped; the machine may write to it meanwhile */
	size_t size;
	bool mapped; /* by us */
	void *own;   /* of a kind whose bytes are not in the file as they are; NULL: none */
	/* Copy what lies within one range. */
	int (*copy)(struct memory_dump *dump, uint64_t address, void *to, size_t size,
	            struct error *error);
	void (*close)(struct memory_dump *dump); /* frees own's data */
	/* Of a kind that leaves pages out: those that were asked for, taken for zeros. */
	uint64_t absent;
	uint64_t first_absent; /* address */
};

/* Open the file; its kind is found by its first bytes. base: physical address of a raw dump's first
 * byte, UINT64_MAX: unknown; other kinds know their addresses. */
int memory_dump_open(struct memory_dump *dump, const char *path, uint64_t base,
                     struct error *error);

/* Bytes in our memory as a raw dump; they stay the caller's. -ENOMEM. */
int memory_dump_raw(struct memory_dump *dump, const void *bytes, size_t size, uint64_t base,
                    struct error *error);

void memory_dump_close(struct memory_dump *dump);

/* Copy size bytes from address on, across ranges, to where zeros are: what is 0 is not touched.
 * -ENXIO: the address that error names is in no range. */
int memory_dump_copy(struct memory_dump *dump, uint64_t address, void *to, size_t size,
                     struct error *error);

/* The bytes where they lie, if they are in the file one after the other; else NULL. */
const void *memory_dump_at(const struct memory_dump *dump, uint64_t address, size_t size);

/* A trace region that was found. */
struct memory_region {
	uint64_t address;        /* in the dump */
	struct tr_header header; /* a copy; its size and its tables are checked */
};

#define MEMORY_REGIONS 16 /* more are not looked for */

/*
 * Look for regions: at multiples of 2 MiB; if there is none, of 4 KiB. Where the addresses are not
 * known, the header's own need only be possible for the place where it was found. Returns how many
 * there are; -ENOENT: no magic anywhere; else why the first that had the magic was refused.
 */
int memory_dump_find(struct memory_dump *dump, struct memory_region found[MEMORY_REGIONS],
                     struct error *error);

/* ---- The kinds: those that are not raw. 0: not this one. 1: it is, dump is filled in. ---- */

int memory_dump_elf(struct memory_dump *dump, struct error *error);
int memory_dump_kdump(struct memory_dump *dump, int fd, struct error *error);

/* Append a range; those that overlap are cut when all are there. -ENOMEM. */
int memory_dump_add(struct memory_dump *dump, const struct memory_range *range,
                    struct error *error);

#endif
