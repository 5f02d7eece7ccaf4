/* SPDX-License-Identifier: MIT */
/* Images as the region has them, which is all that a machine knows of its own. */
#include <stdlib.h>
#include <string.h>

#include "writer/session/images.h"

struct image_file *images_named(const struct region *region)
{
	uint32_t count = region->header.images.count;
	struct image_file *files = calloc(count ? count : 1, sizeof(*files));
	char name[sizeof(region->images->name)];

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
