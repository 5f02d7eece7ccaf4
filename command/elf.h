/* SPDX-License-Identifier: MIT */
/*
 * ELF64 executables out of foreign bytes: static ones (ET_EXEC), and static PIEs (ET_DYN without
 * an interpreter). Pure functions: no firmware service, no global state; the unit tests and the
 * fuzzer call them on the host. System V ABI, chapters 4 and 5 ("Object Files", "Program Loading").
 *
 *	elf_parse()	looks at everything and believes nothing
 *	elf_place()	copies the segments, once for those that are never written, and at each
 *			start for the others, so that a program may run more than once
 *	elf_relocate()	after each placing of the writable ones
 */
#ifndef COMMAND_ELF_H
#define COMMAND_ELF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ELF_MAX_SEGMENTS 16U
#define ELF_MAX_BUILD_ID 20U
#define ELF_MAX_SPAN     (1ULL << 30) /* bytes from the first segment to the end of the last */
#define ELF_MAX_ALIGN    (2ULL << 20)
#define ELF_PAGE         4096U

struct elf_segment {
	uint64_t offset;    /* in the file */
	uint64_t address;   /* linked at; they ascend and do not overlap */
	uint64_t file_size; /* bytes in the file, at most memory_size; the rest is 0 */
	uint64_t memory_size;
	bool write, execute; /* never both */
};

struct elf_image {
	bool fixed;         /* must lie where it was linked */
	uint64_t low, high; /* linked at; whole pages around all segments */
	uint64_t align;     /* of low: a power of two, ELF_PAGE to ELF_MAX_ALIGN */
	uint64_t entry;     /* linked at; in an executable segment */
	unsigned nr_segments;
	struct elf_segment segments[ELF_MAX_SEGMENTS];
	uint64_t relocations; /* offset in the file */
	uint64_t nr_relocations;
	unsigned build_id_size; /* 0: none */
	uint8_t build_id[ELF_MAX_BUILD_ID];
};

/* Why a file is refused. */
struct elf_error {
	const char *what; /* a phrase: "two segments overlap" */
	uint64_t where;   /* the offending number or address */
};

/*
 * Look at size bytes of any content. 0: image may be placed on a machine of this e_machine, and
 * each relocation writes into a writable segment an address of the image. -ENOEXEC: error says
 * why not. Thread, as all here.
 */
int elf_parse(struct elf_image *image, const void *file, uint64_t size, uint16_t machine,
              struct elf_error *error);

/* Copy the segments that are writable, or those that are not, to memory, which stands for
 * image->low and holds image->high - image->low bytes. */
void elf_place(const struct elf_image *image, const void *file, void *memory, bool writable);

/* Make the addresses in the writable segments those of an image whose low is at address. */
void elf_relocate(const struct elf_image *image, const void *file, void *memory, uint64_t address);

#endif
