/* SPDX-License-Identifier: MIT */
/*
 * Reads ELF64 executables from untrusted bytes: static executables (ET_EXEC), and static PIEs
 * (ET_DYN without an interpreter). Pure functions without firmware services or global state, so
 * that unit tests and the fuzzer can call them on the host. System V ABI, chapters 4 and 5 ("Object
 * Files", "Program Loading").
 *
 *	elf_parse()	checks everything
 *	elf_place()	copies read-only segments once, and writable segments at each
 *			start, so that a program can run more than once
 *	elf_relocate()	relocates after each placing of writable segments
 */
#ifndef COMMAND_ELF_H
#define COMMAND_ELF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ELF_MAX_SEGMENTS 16U
#define ELF_MAX_BUILD_ID 20U
/* bytes from the first segment's start to the last one's end */
#define ELF_MAX_SPAN     (1ULL << 30)
#define ELF_MAX_ALIGN    (2ULL << 20)
#define ELF_PAGE         4096U

struct elf_segment {
	uint64_t offset;    /* in the file */
	uint64_t address;   /* link address; segments ascend and do not overlap */
	uint64_t file_size; /* bytes in the file, at most memory_size; the rest is 0 */
	uint64_t memory_size;
	bool write, execute; /* never both */
};

struct elf_image {
	bool fixed;         /* must be loaded at its link address */
	uint64_t low, high; /* link addresses: the whole pages around all segments */
	uint64_t align;     /* alignment of low: a power of two, ELF_PAGE to ELF_MAX_ALIGN */
	uint64_t entry;     /* link address; in an executable segment */
	unsigned nr_segments;
	struct elf_segment segments[ELF_MAX_SEGMENTS];
	uint64_t relocations; /* offset in the file */
	uint64_t nr_relocations;
	unsigned build_id_size; /* 0: none */
	uint8_t build_id[ELF_MAX_BUILD_ID];
};

/* The reason why a file is refused. */
struct elf_error {
	const char *what; /* a phrase: "two segments overlap" */
	uint64_t where;   /* the offending number or address */
};

/*
 * Parses size bytes of any content. 0: image may be loaded on a machine of this e_machine, and each
 * relocation writes an address of the image into a writable segment. -ENOEXEC: error has the
 * reason. Thread, like all functions here.
 */
int elf_parse(struct elf_image *image, const void *file, uint64_t size, uint16_t machine,
              struct elf_error *error);

/* Copies the writable segments, or the read-only ones, to memory. memory corresponds to image->low
 * and has image->high - image->low bytes. */
void elf_place(const struct elf_image *image, const void *file, void *memory, bool writable);

/* Relocates the writable segments for an image whose low is at address. */
void elf_relocate(const struct elf_image *image, const void *file, void *memory, uint64_t address);

#endif
