/* SPDX-License-Identifier: MIT */
/* Finding, opening and copying a trace region. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "writer/region/region_check.h"
#include "writer/region/region_shared.h"

const char *region_arch_name(uint16_t machine)
{
	switch (machine) {
	case EM_X86_64:
		return "x86_64";
	case EM_AARCH64:
		return "aarch64";
	default:
		return NULL;
	}
}

static uint64_t region_load_acquire_u64(const void *at)
{
	return __atomic_load_n((const uint64_t *)at, __ATOMIC_ACQUIRE);
}

int region_open(struct region *region, struct channel *channel, struct error *error)
{
	const void *bytes = channel->bytes;
	size_t size = channel->size;
	struct tr_header header;
	int code;

	memset(region, 0, sizeof(*region));
	if (size < sizeof(header))
		return error_set(error, -EPROTO, "0x%zx bytes are too few for a trace region",
		                 size);
	if (region_load_acquire_u64(bytes) != TR_MAGIC)
		return error_set(error, -EAGAIN, "offset 0: the magic BAREPERF is not there");
	memcpy(&header, bytes, sizeof(header));
	code = region_check_header(&header, size, error);
	if (code)
		return code;
	region->channel = channel;
	region->shared = bytes;
	region->size = header.size;
	region->nonce = header.nonce;
	region->header = header;
	return 0;
}

/* Copy a checked table, entry by entry, since the stride may be larger than we know. */
static void *region_copy_table(const struct region *region, const struct tr_table *table,
                               size_t entry_size)
{
	uint8_t *copy = calloc(table->count ? table->count : 1, entry_size);

	for (uint32_t i = 0; copy && i < table->count; i++)
		memcpy(copy + i * entry_size, region_at(region, region_entry(table, i)),
		       entry_size);
	return copy;
}

static void region_free_tables(struct region *region)
{
	free(region->cpus);
	free(region->events);
	free(region->images);
	free(region->rings);
	region->cpus = NULL;
	region->events = NULL;
	region->images = NULL;
	region->rings = NULL;
}

static int region_load_tables(struct region *region, struct error *error)
{
	const struct tr_header *header = &region->header;

	region->cpus = region_copy_table(region, &header->cpus, sizeof(struct tr_cpu));
	region->events = region_copy_table(region, &header->events, sizeof(struct tr_event));
	region->images = region_copy_table(region, &header->images, sizeof(struct tr_image));
	region->rings = region_copy_table(region, &header->rings, sizeof(struct tr_ring));
	if (!region->cpus || !region->events || !region->images || !region->rings)
		return error_set(error, -ENOMEM, "no memory for the region's tables");
	return 0;
}

int region_load(struct region *region, struct error *error)
{
	struct tr_header *header = &region->header;
	int code;

	region_free_tables(region);
	region_header(region, header);
	if (header->nonce != region->nonce || header->size != region->size)
		return error_set(error, -EPROTO,
		                 "trace region, offset 0x%zx: the machine has booted anew",
		                 offsetof(struct tr_header, nonce));
	header->producer[sizeof(header->producer) - 1] = 0;
	header->command[sizeof(header->command) - 1] = 0;
	code = region_check_header(header, region->size, error);
	if (!code)
		code = region_check_tables(header, error);
	if (!code)
		code = region_load_tables(region, error);
	if (!code)
		code = region_check_cpus(region, error);
	if (!code)
		code = region_check_rings(region, error);
	if (!code)
		code = region_check_events(region, error);
	if (!code)
		code = region_check_images(region, error);
	if (code)
		region_free_tables(region);
	return code;
}

void region_close(struct region *region)
{
	region_free_tables(region);
	memset(region, 0, sizeof(*region));
}

uint32_t region_state(const struct region *region)
{
	const struct tr_header *shared = region_at(region, 0);

	return __atomic_load_n(&shared->state, __ATOMIC_ACQUIRE);
}

const char *region_state_name(uint32_t state)
{
	static const char *const names[] = { "booting",  "idle",   "recording",
		                             "complete", "failed", "panic" };

	return state < sizeof(names) / sizeof(names[0]) ? names[state] : "none";
}

static const volatile struct tr_header *region_live_header(const struct region *region)
{
	return region_at(region, 0);
}

int region_status(const struct region *region)
{
	return region_live_header(region)->status;
}

int region_exit_status(const struct region *region)
{
	return region_live_header(region)->exit_status & 0xff;
}
