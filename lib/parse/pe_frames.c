/* SPDX-License-Identifier: MIT */
#include "lib/parse/pe_frames.h"

#include <string.h>

#define PIECE  512U /* bytes */
#define PIECES 16U  /* number of samples in each section */
#define LEAST  8U   /* the fewest functions for a decision */
#define QUORUM 4U   /* records per other function: assembly, or data */
#define NEAR   14U  /* bytes in which a compiler spreads a prologue */
#define NEARBY 8U   /* instructions of aarch64 */

struct frame_counts {
	uint32_t records, others;
};

/* ---- x86_64 (SDM volume 2) ---- */

static bool pe_frames_sets_rbp(const uint8_t *at)
{
	return at[0] == 0x48 &&
	       ((at[1] == 0x89 && at[2] == 0xe5) || (at[1] == 0x8b && at[2] == 0xec));
}

/* Whether the instruction saves another register, makes room on the stack or takes an argument, as
 * at functions' begins. */
static bool pe_frames_goes_on(const uint8_t *at)
{
	if (at[0] == 0x41)
		return (at[1] & 0xf8) == 0x50;
	if (at[0] == 0x48)
		return at[1] == 0x89 || at[1] == 0x8b ||
		       ((at[1] == 0x83 || at[1] == 0x81) && at[2] == 0xec);
	return (at[0] & 0xf8) == 0x50;
}

/* push %rbp; with a prefix it would be push %r13. */
static void pe_frames_count_x86_64(const uint8_t *bytes, uint32_t size, struct frame_counts *counts)
{
	for (uint32_t i = 1; i + 1 + NEAR + 3 <= size; i++) {
		uint32_t next = i + 1, to = next;

		if (bytes[i] != 0x55 || bytes[i - 1] == 0x41)
			continue;
		while (to < next + NEAR && !pe_frames_sets_rbp(bytes + to))
			to++;
		if (to < next + NEAR)
			counts->records++;
		else
			counts->others += pe_frames_goes_on(bytes + next);
	}
}

/* ---- aarch64 (Arm ARM, C6.2) ---- */

static uint32_t pe_frames_word_at(const uint8_t *bytes, uint32_t at)
{
	uint32_t word;

	__builtin_memcpy(&word, bytes + at, sizeof(word)); /* freestanding code has no memcpy() */
	return word;
}

/* STP, 64 bits, offset or pre-indexed, of a register and x30, in this order, on the stack: as
 * compilers save them. */
static bool pe_frames_stores_with_x30(uint32_t word)
{
	return (word & 0xff407fe0) == 0xa9007be0;
}

/* STR x30, [sp, #-n]!; STR x30, [sp, #n]. */
static bool pe_frames_stores_x30(uint32_t word)
{
	return (word & 0x3ff) == 0x3fe &&
	       ((word & 0xffe00c00) == 0xf8000c00 || (word & 0xffc00000) == 0xf9000000);
}

/* ADD x29, sp, #n; MOV x29, sp is the same with n = 0. */
static bool pe_frames_sets_x29(uint32_t word)
{
	return (word & 0xffc003ff) == 0x910003fd;
}

static void pe_frames_count_aarch64(const uint8_t *bytes, uint32_t size,
                                    struct frame_counts *counts)
{
	for (uint32_t i = 0; i + 4 * (1 + NEARBY) <= size; i += 4) {
		uint32_t word = pe_frames_word_at(bytes, i), to = 1;

		if (!pe_frames_stores_with_x30(word) || (word & 31) != 29) {
			counts->others += pe_frames_stores_with_x30(word) ||
			                  pe_frames_stores_x30(word);
			continue;
		}
		while (to <= NEARBY && !pe_frames_sets_x29(pe_frames_word_at(bytes, i + 4 * to)))
			to++;
		if (to <= NEARBY)
			counts->records++;
		else
			counts->others++;
	}
}

/* ---- Of an image ---- */

static void pe_frames_count_piece(const struct pe_image *image, uint32_t rva, uint32_t size,
                                  struct frame_counts *counts)
{
	const uint8_t *bytes = pe_at(image, rva, size);

	if (bytes && image->machine == PE_MACHINE_AMD64)
		pe_frames_count_x86_64(bytes, size, counts);
	else if (bytes && image->machine == PE_MACHINE_ARM64)
		pe_frames_count_aarch64(bytes, size, counts);
}

static void pe_frames_count_section(const struct pe_image *image, const struct pe_section *section,
                                    struct frame_counts *counts)
{
	uint32_t size = section->file_size < section->size ? section->file_size : section->size;
	uint32_t step = size / PIECES / 4 * 4;

	if (size <= PIECES * PIECE) {
		pe_frames_count_piece(image, section->rva, size, counts);
		return;
	}
	for (uint32_t i = 0; i < PIECES; i++)
		pe_frames_count_piece(image, section->rva + i * step, PIECE, counts);
}

enum pe_frames pe_frames(const struct pe_image *image)
{
	struct frame_counts counts = { 0, 0 };
	struct pe_section section;

	for (uint32_t i = 0; pe_section(image, i, &section); i++)
		if (pe_section_is_code(&section))
			pe_frames_count_section(image, &section, &counts);
	if (counts.records >= LEAST && counts.records >= QUORUM * counts.others)
		return PE_FRAMES_KEPT;
	return counts.records + counts.others >= LEAST ? PE_FRAMES_NONE : PE_FRAMES_UNKNOWN;
}
