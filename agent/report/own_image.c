/* SPDX-License-Identifier: MIT */
#include "agent/report/own_image.h"

#include <string.h>

#include "lib/image.h"
#include "writer/region/region.h"

#define NOTE_HEAD 16U /* bytes of an ELF note before the build-id, with its name "GNU" */
#define SHA1_SIZE 20U

static struct region own_region; /* several KiB, too much for the firmware's stack */

/* Add the functions of a recorded image that has our build-id: it has the same functions at the
 * same offsets. */
static void own_image_consider(struct functions *functions, const struct tr_image *image)
{
	if (image->build_id_size == SHA1_SIZE &&
	    memcmp(image->build_id, __build_id_note_start + NOTE_HEAD, SHA1_SIZE) == 0)
		functions_add_image(functions, &image_symbols,
		                    image->address - image->link_address);
}

void own_image_add(struct functions *functions, const void *bytes, uint64_t size)
{
	struct error ignored = { "" };
	struct channel channel;

	if (channel_open_still(&channel, bytes, size, &ignored) != 0)
		return;
	if (region_open(&own_region, &channel, &ignored) == 0) {
		if (region_load(&own_region, &ignored) == 0)
			for (uint32_t i = 0; i < own_region.header.images.count; i++)
				own_image_consider(functions, &own_region.images[i]);
		region_close(&own_region);
	}
	channel_close(&channel);
}
