/* SPDX-License-Identifier: MIT */
/* The addresses for which an ELF file was linked, from offsets in the file. Source: System V ABI,
 * "Program Header". Thread: the thread that created the struct. */
#ifndef HOST_TOOLS_REPORT_SYMBOLS_LINK_ADDRESS_H
#define HOST_TOOLS_REPORT_SYMBOLS_LINK_ADDRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct link_segment {
	uint64_t offset, address, size; /* size: bytes in the file */
	bool is_code;                   /* it is executable */
};

struct link_map {
	struct link_segment *segments; /* PT_LOAD, in the file's order */
	size_t count;
};

/* Read the segments of the ELF file at path. map must be all 0, and must be freed after it. False:
 * it is no ELF file, has no segments, or memory ran out. */
bool link_map_load(struct link_map *map, const char *path);

/* Get the address of the byte at an offset of the file. False: no segment has the offset; *address
 * is unchanged. */
bool link_address(const struct link_map *map, uint64_t offset, uint64_t *address);

/* The page of the first executable segment; 0: the file has none. */
uint64_t link_map_code(const struct link_map *map);

void link_map_free(struct link_map *map);

#endif
