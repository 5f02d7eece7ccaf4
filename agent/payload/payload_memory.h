/* SPDX-License-Identifier: MIT */
/* The memory of the user's own program: its image, its file, its heap. */
#ifndef AGENT_PAYLOAD_PAYLOAD_MEMORY_H
#define AGENT_PAYLOAD_PAYLOAD_MEMORY_H

#include <stdbool.h>
#include <stdint.h>

/* The loader's: the image lies in size bytes from memory on, and was linked at link_address. The
 * file is the program, or an archive that contains it. Thread, before the program runs. */
void payload_memory_set_image(const void *memory, uint64_t size, uint64_t link_address);
void payload_memory_set_file(const void *bytes, uint64_t size);
void payload_memory_set_heap(void *heap, uint64_t size);

/* Whether the address lies in the image; then *offset is the address that it was linked at. Any
 * context. */
bool payload_contains(uint64_t address, uint64_t *offset);

/* The image, and its bytes. Thread. */
const void *payload_memory(uint64_t *size);

/* The heap that the program has, and its bytes. Thread. */
void *payload_heap(uint64_t *size);

/* Whether all these bytes are the payload's: its image, its file or its heap. Any context. */
bool payload_owns(const void *bytes, uint64_t size);

#endif
