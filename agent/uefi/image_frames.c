/* SPDX-License-Identifier: MIT */
#include "agent/uefi/image_frames.h"

#include <string.h>

#include "lib/console/console.h"
#include "lib/image.h"
#include "lib/print.h"
#include "pmu/callchain_images.h"

#define NAME  40U
#define NAMES 16384U /* bytes; three times the names of all images of a machine */
#define WIDTH 78U

static struct {
	bool is_reported;   /* counts were printed, and image_frames_write() is still to come */
	unsigned counts[3]; /* by enum pe_frames */
	size_t used;
	char names[NAMES]; /* for each image '0' + enum pe_frames, and its name with a NUL */
} known;

void image_frames_begin(void)
{
	memset(&known, 0, sizeof(known));
	callchain_images_begin();
}

void image_frames_end(void)
{
	callchain_images_end();
}

/* An image without room for its name is counted all the same. */
static void image_frames_note(const struct efi_image_place *image)
{
	char *at = known.names + known.used;

	known.counts[image->frames]++;
	if (NAMES - known.used < 1 + NAME)
		return;
	at[0] = (char)('0' + image->frames);
	pe_module_name(image->name, strlen(image->name), at + 1, NAME);
	known.used += strlen(at) + 1;
}

void image_frames_add(const struct efi_image_place *image)
{
	static const enum callchain_frames frames[] = {
		[PE_FRAMES_UNKNOWN] = CALLCHAIN_FRAMES_UNKNOWN,
		[PE_FRAMES_NONE] = CALLCHAIN_FRAMES_NONE,
		[PE_FRAMES_KEPT] = CALLCHAIN_FRAMES_KEPT,
	};

	callchain_images_add(&(struct callchain_image){ image->base, image->base + image->size,
	                                                frames[image->frames] });
	if (image->base != (uint64_t)__image_start)
		image_frames_note(image);
}

void image_frames_remove(const struct efi_image_place *image)
{
	callchain_images_remove(image->base);
}

static void image_frames_put_line(const char *line, print_put_fn put, void *context)
{
	put(context, line, strlen(line));
	put(context, "\n", 1);
}

static void image_frames_put_names(enum pe_frames frames, const char *what, print_put_fn put,
                                   void *context)
{
	char line[WIDTH + 1];
	size_t length;

	if (!known.counts[frames])
		return;
	print_text(line, sizeof(line), "  %s:", what);
	for (const char *at = known.names; at < known.names + known.used; at += strlen(at) + 1) {
		if (at[0] != '0' + (char)frames)
			continue;
		length = strlen(line);
		if (length + strlen(at) > WIDTH) {
			image_frames_put_line(line, put, context);
			length = 3;
			memset(line, ' ', length);
		}
		print_text(line + length, sizeof(line) - length, " %s", at + 1);
	}
	image_frames_put_line(line, put, context);
}

static void image_frames_put_counts(print_put_fn put, void *context)
{
	char line[WIDTH + 1];

	print_text(line, sizeof(line),
	           "frame pointers: %u images keep them, %u keep none, %u are unknown",
	           known.counts[PE_FRAMES_KEPT], known.counts[PE_FRAMES_NONE],
	           known.counts[PE_FRAMES_UNKNOWN]);
	image_frames_put_line(line, put, context);
}

static void image_frames_put_console(void *context, const char *text, size_t length)
{
	(void)context;
	console_write(text, length);
}

void image_frames_report(void)
{
	image_frames_put_counts(image_frames_put_console, NULL);
	known.is_reported = true;
}

void image_frames_write(print_put_fn put, void *context)
{
	if (!known.is_reported)
		return;
	image_frames_put_counts(put, context);
	image_frames_put_names(PE_FRAMES_KEPT, "kept", put, context);
	image_frames_put_names(PE_FRAMES_NONE, "none", put, context);
	image_frames_put_names(PE_FRAMES_UNKNOWN, "unknown", put, context);
	known.is_reported = false;
}
