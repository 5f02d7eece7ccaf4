/* SPDX-License-Identifier: MIT */
/* A channel to a file that holds a machine's memory at one moment. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "host-tools/region/channel_url.h"
#include "host-tools/region/dump/memory_dump.h"
#include "writer/region/region.h"

struct image {
	struct memory_dump dump;
	void *copy; /* a copy of the region, if the file does not hold it contiguously; else NULL */
	size_t size;
};

static bool is_picked(const struct memory_region *region, const struct channel_file_options *pick)
{
	return (!pick->has_nonce || region->header.nonce == pick->nonce) &&
	       (!pick->has_address || region->header.address == pick->address);
}

/* Prints the first line, and one line per region. */
static int refuse_to_guess(const struct memory_region *found, int count, struct error *error)
{
	size_t used;

	error_set(error, -EINVAL, "%d trace regions: say which by --nonce", count);
	for (int i = 0; i < count; i++) {
		const struct tr_header *header = &found[i].header;

		used = strlen(error->text);
		snprintf(error->text + used, sizeof(error->text) - used,
		         "\n  nonce 0x%016" PRIx64 " at 0x%" PRIx64 ": %s, run %" PRIu64
		         ", heartbeat %" PRIu64,
		         header->nonce, header->address, region_state_name(header->state),
		         header->run, header->heartbeat);
	}
	return -EINVAL;
}

/* Selects the requested region: *found. */
static int pick_region(struct memory_dump *dump, const struct channel_file_options *pick,
                       struct memory_region *to, struct error *error)
{
	struct memory_region *found = calloc(MEMORY_REGIONS, sizeof(*found));
	int count, kept = 0, code = 0;

	if (!found)
		return error_set(error, -ENOMEM, "no memory for %d headers", MEMORY_REGIONS);
	count = memory_dump_find(dump, found, error);
	for (int i = 0; i < count; i++) {
		if (is_picked(&found[i], pick))
			found[kept++] = found[i];
	}
	if (count < 0)
		code = count;
	else if (!kept)
		code = error_set(error, -ENOENT,
		                 "none of %d trace regions is the one that is asked "
		                 "for: its nonce is 0x%016" PRIx64 ", its address 0x%" PRIx64,
		                 count, found[0].header.nonce, found[0].header.address);
	else if (kept > 1)
		code = refuse_to_guess(found, kept, error);
	else
		*to = found[0];
	free(found);
	return code;
}

static int load(struct image *image, const struct memory_region *region, struct error *error)
{
	size_t size = region->header.size;
	void *at = mmap(NULL, size, PROT_READ | PROT_WRITE,
	                MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	int code;

	if (at == MAP_FAILED)
		return error_errno(error, "no memory for a region of 0x%zx bytes", size);
	image->copy = at;
	image->size = size;
	image->dump.absent = 0;
	code = memory_dump_copy(&image->dump, region->address, at, size, error);
	if (!code && image->dump.absent)
		say("%" PRIu64
		    " pages of the region were left out of the dump, the first at "
		    "0x%" PRIx64 ": they are taken for zeros",
		    image->dump.absent, image->dump.first_absent);
	return code;
}

static void image_free(void *owner)
{
	struct image *image = owner;

	if (image->copy)
		munmap(image->copy, image->size);
	memory_dump_close(&image->dump);
	free(image);
}

/* Page-aligned bytes are mapped from the file, because a running machine continues to change them
 * there. */
static int find_bytes(struct image *image, const struct channel_file_options *pick, void **bytes,
                      size_t *size, struct error *error)
{
	struct memory_region region = { 0 };
	const uint8_t *at;
	int code = pick_region(&image->dump, pick, &region, error);

	if (code)
		return code;
	at = memory_dump_at(&image->dump, region.address, region.header.size);
	if (at && !((uintptr_t)at % TR_PAGE)) {
		*bytes = (void *)(uintptr_t)at;
		*size = image->dump.size - (size_t)(at - image->dump.bytes);
		return 0;
	}
	code = load(image, &region, error);
	*bytes = image->copy;
	*size = image->size;
	return code;
}

int channel_open_file(struct channel *channel, const char *path,
                      const struct channel_file_options *pick, struct error *error)
{
	struct image *image = calloc(1, sizeof(*image));
	size_t size = 0;
	void *bytes = NULL;
	int code;

	*channel = (struct channel){ 0 };
	if (!image)
		return error_set(error, -ENOMEM, "no memory for a channel");
	code = memory_dump_open(&image->dump, path, pick->base, error);
	if (!code) {
		code = find_bytes(image, pick, &bytes, &size, error);
		code = code ? error_prefix(error, code, "%s", path) : 0;
	}
	if (!code)
		code = channel_open_memory(channel, bytes, size, false, error);
	if (code) {
		image_free(image);
		return code;
	}
	channel_memory_owned(channel, image_free, image);
	return 0;
}

int channel_open_image(struct channel *channel, const char *rest,
                       const struct channel_url_options *options, struct error *error)
{
	struct channel_file_options pick = CHANNEL_ANY_FILE;
	char *end = NULL;

	if (options->address) {
		errno = 0;
		pick.address = strtoull(options->address, &end, 16);
		pick.has_address = true;
		if (errno || end == options->address || *end)
			return error_set(error, -EINVAL, "--address %s: want a hexadecimal number",
			                 options->address);
	}
	return channel_open_file(channel, rest, &pick, error);
}
