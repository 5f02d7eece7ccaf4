/* SPDX-License-Identifier: MIT */
/* The memory of the user's own program: its image, its file, its heap. */
#ifndef AGENT_PAYLOAD_PAYLOAD_MEMORY_H
#define AGENT_PAYLOAD_PAYLOAD_MEMORY_H

#include <stdbool.h>
#include <stdint.h>

/* Set the program's memory. image: size bytes at memory, linked at link_address. file: the program,
 * or an archive that contains it. Thread, before the program runs. */
void payload_memory_set_image(const void *memory, uint64_t size, uint64_t link_address);
void payload_memory_set_file(const void *bytes, uint64_t size);
void payload_memory_set_heap(void *heap, uint64_t size);

/* Returns whether the address is in the image; *offset is then its link-time address. Any context.
 */
bool payload_contains(uint64_t address, uint64_t *offset);

/* Returns the image's address, and in *size its bytes. Thread. */
const void *payload_memory(uint64_t *size);

/* Returns the program's heap, and in *size its bytes. Thread. */
void *payload_heap(uint64_t *size);

/* Returns whether all these bytes are in the payload's image, file or heap. Any context. */
bool payload_owns(const void *bytes, uint64_t size);

#endif
