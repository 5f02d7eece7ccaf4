/* SPDX-License-Identifier: MIT */
#include "host-tools/report/symbols/link_address.h"

#include <fcntl.h>
#include <gelf.h>
#include <stdlib.h>
#include <unistd.h>

#define PAGE 4096ULL

static bool add_segments(struct link_map *map, Elf *elf)
{
	GElf_Phdr header;
	size_t count;

	if (!elf || elf_getphdrnum(elf, &count) || !count)
		return false;
	map->segments = calloc(count, sizeof(*map->segments));
	for (size_t i = 0; map->segments && i < count && gelf_getphdr(elf, (int)i, &header); i++) {
		if (header.p_type == PT_LOAD)
			map->segments[map->count++] = (struct link_segment){
				.offset = header.p_offset,
				.address = header.p_vaddr,
				.size = header.p_filesz,
				.is_code = header.p_flags & PF_X,
			};
	}
	return map->count;
}

bool link_map_load(struct link_map *map, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	Elf *elf;
	bool done;

	elf_version(EV_CURRENT);
	elf = fd < 0 ? NULL : elf_begin(fd, ELF_C_READ, NULL);
	done = add_segments(map, elf);
	elf_end(elf);
	if (fd >= 0)
		close(fd);
	return done;
}

bool link_address(const struct link_map *map, uint64_t offset, uint64_t *address)
{
	for (size_t i = 0; i < map->count; i++) {
		const struct link_segment *segment = &map->segments[i];

		if (offset >= segment->offset && offset - segment->offset < segment->size) {
			*address = segment->address + (offset - segment->offset);
			return true;
		}
	}
	return false;
}

uint64_t link_map_code(const struct link_map *map)
{
	for (size_t i = 0; i < map->count; i++) {
		if (map->segments[i].is_code)
			return map->segments[i].address & ~(PAGE - 1);
	}
	return 0;
}

void link_map_free(struct link_map *map)
{
	free(map->segments);
	*map = (struct link_map){ 0 };
}
