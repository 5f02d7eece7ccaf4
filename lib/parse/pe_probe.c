/* SPDX-License-Identifier: MIT */
#include "lib/parse/pe_probe.h"

#include <string.h>

#define BYTES  8U
#define ALL    4096U /* the first bytes of a section, which are all hashed */
#define STRIDE 64U   /* after them 8 bytes of each STRIDE */
#define GOLDEN 0x9e3779b97f4a7c15ULL

/* SplitMix64. */
static uint64_t pe_probe_mix(uint64_t x)
{
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ULL;
	x = (x ^ x >> 27) * 0x94d049bb133111ebULL;
	return x ^ x >> 31;
}

static bool pe_probe_is_rewritten(uint32_t instruction)
{
	return (instruction & 0x1f000000) == 0x10000000 ||
	       (instruction & 0xffc00000) == 0x91000000 || (instruction & 0xffc00000) == 0xf9400000;
}

static bool pe_probe_counts(const struct pe_probe *probe, uint64_t value)
{
	if (!(value >> 48))
		return false;
	return !probe->arm64 || (!pe_probe_is_rewritten((uint32_t)value) &&
	                         !pe_probe_is_rewritten((uint32_t)(value >> 32)));
}

/* Eight bytes at this place; bytes before or behind the section count as 0, as an image is padded
 * with 0. */
static uint64_t pe_probe_value(uint64_t place, uint64_t start, uint64_t end, const uint8_t *bytes)
{
	uint64_t from = place < start ? start : place, value = 0;
	uint64_t to = place + BYTES < end ? place + BYTES : end;

	if (to - from == BYTES)
		__builtin_memcpy(&value, bytes + (from - start), BYTES);
	else
		memcpy((uint8_t *)&value + (from - place), bytes + (from - start), to - from);
	return value;
}

void pe_probe_add(struct pe_probe *probe, uint32_t rva, const uint8_t *bytes, uint32_t size)
{
	uint64_t start = rva, end = start + size, place = start / BYTES * BYTES;

	while (place < end) {
		uint64_t value = pe_probe_value(place, start, end, bytes);

		if (pe_probe_counts(probe, value))
			probe->sum += pe_probe_mix(value ^ (place + 1) * GOLDEN);
		place += BYTES;
		if (place - start >= ALL)
			place = (place + STRIDE - 1) / STRIDE * STRIDE;
	}
}

uint32_t pe_probe_word(const struct pe_probe *probe, uint32_t entry)
{
	uint32_t word = (uint32_t)pe_probe_mix(probe->sum ^ (entry + 1ULL) * GOLDEN);

	return word ? word : 1;
}
