/* SPDX-License-Identifier: MIT */
/*
 * Identifies an image's build by its contents, if the image has no identifier.
 *
 * Each 8 bytes of code, as a number, are multiplied by a number that depends on their place, and
 * the products are added: a multilinear hash. Because it is a sum, bytes that a relocation has
 * changed can be subtracted again, in any order of the relocations; EDK2's GenFw does not sort
 * them.
 */
#include <string.h>

#include "lib/parse/pe_image.h"
#include "lib/parse/pe_probe.h"

typedef unsigned __int128 sum_type;

struct identity {
	sum_type code;
	uint64_t header;
	struct pe_probe probe;
};

/* SplitMix64: the number that belongs to a place. */
static uint64_t identity_mix(uint64_t x)
{
	x += 0x9e3779b97f4a7c15ULL;
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ULL;
	x = (x ^ x >> 27) * 0x94d049bb133111ebULL;
	return x ^ x >> 31;
}

static sum_type identity_product(uint64_t place, uint64_t value)
{
	return (sum_type)identity_mix(place) * value;
}

static void identity_header(struct identity *identity, uint64_t value)
{
	identity->header = identity_mix(identity->header ^ value);
}

static void identity_text(struct identity *identity, const char *text, uint32_t size)
{
	identity_header(identity, size);
	for (uint32_t i = 0; i < size; i++)
		identity_header(identity, (uint8_t)text[i]);
}

/* The part of a section that both the file and memory contain. */
static uint32_t pe_code_size(const struct pe_section *section)
{
	if (!pe_section_is_code(section))
		return 0;
	return section->file_size < section->size ? section->file_size : section->size;
}

/* Places are multiples of 8 of the RVA; bytes of a word outside the section count as 0. */
static void pe_add_code(struct identity *identity, uint32_t rva, const uint8_t *bytes,
                        uint32_t size)
{
	uint32_t at = 0;

	while (at < size) {
		uint64_t value = 0, place = (uint64_t)rva + at;
		uint32_t skip = (uint32_t)place % 8, part = 8 - skip;

		if (part > size - at)
			part = size - at;
		if (part == 8) /* nearly always: one load */
			__builtin_memcpy(&value, bytes + at, 8);
		else
			memcpy((uint8_t *)&value + skip, bytes + at, part);
		identity->code += identity_product(place / 8, value);
		at += part;
	}
}

/* Subtract the bytes of a relocated number again, as far as they are code. */
static void pe_subtract_bytes(struct identity *identity, const struct pe_image *image, uint64_t rva,
                              uint32_t count)
{
	struct pe_section section;

	for (uint32_t i = 0; pe_section(image, i, &section); i++) {
		uint32_t size = pe_code_size(&section);
		bool meets = rva < (uint64_t)section.rva + size && rva + count > section.rva;
		const uint8_t *bytes = meets ? pe_at(image, section.rva, size) : NULL;

		for (uint64_t at = rva; bytes && at < rva + count; at++) {
			if (at < section.rva || at - section.rva >= size)
				continue;
			identity->code -= identity_product(at / 8, (uint64_t)bytes[at - section.rva]
			                                               << 8 * (at % 8));
		}
	}
}

static void pe_subtract_relocations(struct identity *identity, const struct pe_image *image)
{
	struct pe_relocations walk = { 0, 0, 0 };
	uint64_t rva;
	uint32_t size;

	while (pe_relocation_next(image, &walk, &rva, &size))
		pe_subtract_bytes(identity, image, rva, size);
}

/* Returns false if some of the code is missing, or if the sections claim more than the image
 * has. */
static bool pe_add_sections(struct identity *identity, const struct pe_image *image)
{
	struct pe_section section;
	uint64_t all = 0;

	for (uint32_t i = 0; pe_section(image, i, &section); i++) {
		uint32_t size = pe_code_size(&section);
		const uint8_t *bytes = size ? pe_at(image, section.rva, size) : NULL;

		all += size;
		if ((size && !bytes) || all > image->size)
			return false;
		identity_text(identity, section.name, 8);
		identity_header(identity, section.rva | (uint64_t)section.size << 32);
		identity_header(identity, section.flags);
		if (!bytes)
			continue;
		pe_add_code(identity, section.rva, bytes, size);
		pe_probe_add(&identity->probe, section.rva, bytes, size);
	}
	return true;
}

static bool pe_hash_contents(const struct pe_image *image, const struct pe_debug *debug,
                             uint64_t hash[2], uint32_t *probe)
{
	struct identity identity = { .probe.arm64 = image->machine == PE_MACHINE_ARM64 };

	identity_header(&identity, image->machine | (uint64_t)image->subsystem << 16 |
	                               (uint64_t)image->section_count << 32);
	identity_header(&identity, image->entry | (uint64_t)image->image_size << 32);
	identity_header(&identity, debug->signature);
	identity_text(&identity, debug->path, debug->path_size);
	if (!pe_add_sections(&identity, image))
		return false;
	pe_subtract_relocations(&identity, image);
	hash[0] = identity_mix(identity.header ^ (uint64_t)(identity.code >> 64));
	hash[1] = identity_mix(hash[0] ^ (uint64_t)identity.code);
	*probe = pe_probe_word(&identity.probe, image->entry);
	return true;
}

bool pe_build_id(const struct pe_image *image, uint8_t id[PE_BUILD_ID])
{
	static const uint8_t none[16];
	struct pe_debug debug;
	uint64_t hash[2];
	uint32_t probe;

	memset(id, 0, PE_BUILD_ID);
	pe_debug_find(image, &debug);
	if (memcmp(debug.id, none, sizeof(none)) != 0) {
		memcpy(id, debug.id, sizeof(debug.id));
		memcpy(id + sizeof(debug.id), &debug.age, sizeof(debug.age));
		return true;
	}
	if (!pe_hash_contents(image, &debug, hash, &probe))
		return false;
	memcpy(id, hash, sizeof(hash));
	memcpy(id + sizeof(hash), &probe, sizeof(probe));
	return true;
}

bool pe_is_hashed(const struct pe_image *image)
{
	static const uint8_t none[16];
	struct pe_debug debug;

	pe_debug_find(image, &debug);
	return memcmp(debug.id, none, sizeof(none)) == 0;
}
