/* SPDX-License-Identifier: MIT */
#include "lib/parse/hob.h"

#include <string.h>

#define HANDOFF           1U
#define MEMORY_ALLOCATION 2U
#define END_OF_LIST       0xffffU

struct hob {
	uint16_t type, length;
	uint32_t reserved;
};

/* EFI_HOB_MEMORY_ALLOCATION */
struct hob_allocation {
	struct hob header;
	uint8_t name[16];
	uint64_t base, size;
};

/* 4ED4BF27-4092-42E9-807D-527B1D00C9BD, as it lies in memory */
static const uint8_t stack_name[16] = { 0x27, 0xbf, 0xd4, 0x4e, 0x92, 0x40, 0xe9, 0x42,
	                                0x80, 0x7d, 0x52, 0x7b, 0x1d, 0x00, 0xc9, 0xbd };

static bool hob_is_stack(const uint8_t *at, const struct hob *header, struct hob_allocation *hob)
{
	if (header->type != MEMORY_ALLOCATION || header->length < sizeof(*hob))
		return false;
	memcpy(hob, at, sizeof(*hob));
	return memcmp(hob->name, stack_name, sizeof(stack_name)) == 0;
}

bool hob_stack(const void *list, uint64_t size, uint64_t *low, uint64_t *high)
{
	struct hob_allocation hob;
	struct hob header;

	for (uint64_t at = 0; size - at >= sizeof(header); at += header.length) {
		const uint8_t *here = (const uint8_t *)list + at;

		memcpy(&header, here, sizeof(header));
		if (header.length < sizeof(header) || header.length > size - at ||
		    header.type == END_OF_LIST || (at == 0 && header.type != HANDOFF))
			return false;
		if (!hob_is_stack(here, &header, &hob))
			continue;
		*low = hob.base;
		*high = hob.base + hob.size;
		return *high > *low;
	}
	return false;
}
