/* SPDX-License-Identifier: MIT */
#include "host-tools/report/intern.h"

#include <stdlib.h>
#include <string.h>

#define FIRST_SLOTS 1024U
#define MOST_SLOTS  (1U << 31)
#define GOLDEN      0x9e3779b97f4a7c15ULL /* 2^64 / golden ratio: spreads similar hashes */

static uint8_t *key_at(const struct intern *intern, uint32_t number, size_t size)
{
	return (uint8_t *)intern->bytes + number * size;
}

/* Find the slot that has the key, or the free slot where the key belongs. */
static uint32_t *find_slot(const struct intern *intern, const void *key, size_t size)
{
	uint64_t hash = 0, word;

	for (size_t i = 0; i < size; i += sizeof(word)) {
		memcpy(&word, (const uint8_t *)key + i, sizeof(word));
		hash = (hash ^ word) * GOLDEN;
	}
	for (uint32_t at = (uint32_t)(hash >> 32);; at++) {
		uint32_t *slot = &intern->slots[at & (intern->slot_count - 1)];

		if (!*slot || !memcmp(key_at(intern, *slot - 1, size), key, size))
			return slot;
	}
}

/* Keep half of the slots free, so that probing stays short. */
static int grow(struct intern *intern, size_t size)
{
	uint32_t wanted = intern->slot_count ? 2 * intern->slot_count : FIRST_SLOTS;
	uint32_t *slots = wanted <= MOST_SLOTS ? calloc(wanted, sizeof(*slots)) : NULL;
	void *bytes = slots ? reallocarray(intern->bytes, wanted / 2, size) : NULL;

	if (!bytes) {
		free(slots);
		return -1;
	}
	free(intern->slots);
	intern->slots = slots;
	intern->slot_count = wanted;
	intern->bytes = bytes;
	for (uint32_t i = 0; i < intern->count; i++)
		*find_slot(intern, key_at(intern, i, size), size) = i + 1;
	return 0;
}

uint32_t intern_any(struct intern *intern, const void *key, size_t size)
{
	uint32_t *slot;

	if (intern->count >= intern->slot_count / 2 && grow(intern, size))
		return INTERN_NONE;
	slot = find_slot(intern, key, size);
	if (!*slot) {
		memcpy(key_at(intern, intern->count, size), key, size);
		*slot = ++intern->count;
	}
	return *slot - 1;
}

uint32_t intern(struct intern *intern, uint64_t a, uint64_t b)
{
	return intern_any(intern, &(struct intern_key){ a, b }, sizeof(struct intern_key));
}

void intern_free(struct intern *intern)
{
	free(intern->bytes);
	free(intern->slots);
	*intern = (struct intern){ 0 };
}
