/* SPDX-License-Identifier: MIT */
#include "host-tools/report/intern.h"

#include <stdlib.h>

#define FIRST_SLOTS 1024U
#define MOST_SLOTS  (1U << 31)
#define GOLDEN      0x9e3779b97f4a7c15ULL /* 2^64 / golden ratio: spreads similar hashes */

/* Find the slot that has the pair, or the free slot where the pair belongs. */
static uint32_t *find_slot(const struct intern *intern, uint64_t a, uint64_t b)
{
	uint64_t hash = (a * GOLDEN ^ b) * GOLDEN;

	for (uint32_t at = (uint32_t)(hash >> 32);; at++) {
		uint32_t *slot = &intern->slots[at & (intern->slot_count - 1)];

		if (!*slot || (intern->keys[*slot - 1].a == a && intern->keys[*slot - 1].b == b))
			return slot;
	}
}

/* Keep half of the slots free, so that probing stays short. */
static int grow(struct intern *intern)
{
	uint32_t wanted = intern->slot_count ? 2 * intern->slot_count : FIRST_SLOTS;
	uint32_t *slots = wanted <= MOST_SLOTS ? calloc(wanted, sizeof(*slots)) : NULL;
	struct intern_key *keys = slots ? realloc(intern->keys, wanted / 2 * sizeof(*keys)) : NULL;

	if (!keys) {
		free(slots);
		return -1;
	}
	free(intern->slots);
	intern->slots = slots;
	intern->slot_count = wanted;
	intern->keys = keys;
	for (uint32_t i = 0; i < intern->count; i++)
		*find_slot(intern, keys[i].a, keys[i].b) = i + 1;
	return 0;
}

uint32_t intern(struct intern *intern, uint64_t a, uint64_t b)
{
	uint32_t *slot;

	if (intern->count >= intern->slot_count / 2 && grow(intern))
		return INTERN_NONE;
	slot = find_slot(intern, a, b);
	if (!*slot) {
		intern->keys[intern->count] = (struct intern_key){ a, b };
		*slot = ++intern->count;
	}
	return *slot - 1;
}

void intern_free(struct intern *intern)
{
	free(intern->keys);
	free(intern->slots);
	*intern = (struct intern){ 0 };
}
