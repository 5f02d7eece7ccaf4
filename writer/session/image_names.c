/* SPDX-License-Identifier: MIT */
/* Images by the names in the region; a machine knows no more about its own images. */
#include <stdlib.h>
#include <string.h>

#include "writer/session/images.h"

struct image_file *images_named(const struct region *region, const struct image_places *places)
{
	uint32_t count = region->header.images.count;
	struct image_file *files = calloc(count ? count : 1, sizeof(*files));
	char name[sizeof(region->images->name)];

	(void)places;
	for (uint32_t i = 0; files && i < count; i++) {
		region_printable(name, sizeof(name), region->images[i].name, sizeof(name) - 1);
		files[i].path = strdup(*name ? name : "[image]");
		files[i].file_offset = region->images[i].link_address;
	}
	return files;
}

void images_free(struct image_file *files, uint32_t count)
{
	for (uint32_t i = 0; files && i < count; i++)
		free(files[i].path);
	free(files);
}
