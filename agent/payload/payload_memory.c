/* SPDX-License-Identifier: MIT */
#include "agent/payload/payload_memory.h"

struct span {
	const void *start;
	uint64_t size;
};

static struct span image, file;
static uint64_t image_link_address;
static void *heap;
static uint64_t heap_size;

void payload_memory_set_image(const void *memory, uint64_t size, uint64_t link_address)
{
	image = (struct span){ memory, size };
	image_link_address = link_address;
}

void payload_memory_set_file(const void *bytes, uint64_t size)
{
	file = (struct span){ bytes, size };
}

void payload_memory_set_heap(void *start, uint64_t size)
{
	heap = start;
	heap_size = size;
}

bool payload_contains(uint64_t address, uint64_t *offset)
{
	uint64_t at = address - (uint64_t)image.start;

	if (at >= image.size)
		return false;
	*offset = image_link_address + at;
	return true;
}

const void *payload_memory(uint64_t *size)
{
	*size = image.size;
	return image.start;
}

void *payload_heap(uint64_t *size)
{
	*size = heap_size;
	return heap;
}

static bool payload_memory_has(const struct span *span, const void *bytes, uint64_t size)
{
	uint64_t offset = (uint64_t)bytes - (uint64_t)span->start;

	return offset <= span->size && size <= span->size - offset;
}

bool payload_owns(const void *bytes, uint64_t size)
{
	const struct span own_heap = { heap, heap_size };

	return payload_memory_has(&image, bytes, size) || payload_memory_has(&file, bytes, size) ||
	       payload_memory_has(&own_heap, bytes, size);
}
