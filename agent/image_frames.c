/* SPDX-License-Identifier: MIT */
#include "agent/image_frames.h"

#include <string.h>

#include "lib/console.h"
#include "lib/image.h"
#include "lib/print.h"
#include "pmu/callchain_images.h"

#define FEW  4U
#define NAME 32U

static struct group {
	unsigned count;
	char names[FEW][NAME]; /* of the first */
} groups[3];                   /* by enum pe_frames */

void image_frames_begin(void)
{
	memset(groups, 0, sizeof(groups));
	callchain_images_begin();
}

void image_frames_end(void)
{
	callchain_images_end();
}

void image_frames_add(const struct efi_image_place *image)
{
	static const enum callchain_frames frames[] = {
		[PE_FRAMES_UNTOLD] = CALLCHAIN_FRAMES_UNTOLD,
		[PE_FRAMES_NONE] = CALLCHAIN_FRAMES_NONE,
		[PE_FRAMES_KEPT] = CALLCHAIN_FRAMES_KEPT,
	};
	struct group *group = &groups[image->frames];

	callchain_images_add(&(struct callchain_image){ image->base, image->base + image->size,
	                                                frames[image->frames] });
	if (image->base == (uint64_t)__image_start)
		return;
	if (group->count < FEW)
		pe_module_name(image->name, strlen(image->name), group->names[group->count], NAME);
	group->count++;
}

void image_frames_remove(const struct efi_image_place *image)
{
	callchain_images_remove(image->base);
}

/* " (one two)", or nothing. */
static void names_of(const struct group *group, char *text, size_t size)
{
	size_t used = 0;

	text[0] = 0;
	for (unsigned i = 0; group->count <= FEW && i < group->count; i++) {
		print_text(text + used, size - used, "%s%s%s", i ? " " : " (", group->names[i],
		           i + 1 == group->count ? ")" : "");
		used = strlen(text);
	}
}

void image_frames_tell(void)
{
	char kept[FEW * NAME + 16], none[sizeof(kept)];

	names_of(&groups[PE_FRAMES_KEPT], kept, sizeof(kept));
	names_of(&groups[PE_FRAMES_NONE], none, sizeof(none));
	console_printf(
	    "frame pointers: %u images keep them%s, %u keep none%s, %u tell too little\n",
	    groups[PE_FRAMES_KEPT].count, kept, groups[PE_FRAMES_NONE].count, none,
	    groups[PE_FRAMES_UNTOLD].count);
}
