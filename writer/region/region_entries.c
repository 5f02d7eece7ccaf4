/* SPDX-License-Identifier: MIT */
/* The checks of the entries of a region's tables. */
#include <errno.h>
#include <string.h>

#include "writer/region/region_check.h"

/* Where entry i of a table lies, for messages. */
static unsigned long long entries_at(const struct tr_table *table, uint32_t i)
{
	return table->offset + (uint64_t)i * table->stride;
}

int region_check_cpus(const struct region *region, struct error *error)
{
	const struct tr_header *header = &region->header;

	for (uint32_t i = 0; i < header->cpus.count; i++) {
		if (region->cpus[i].cpu != i)
			return error_set(error, -EPROTO,
			                 "trace region, offset 0x%llx: CPU %u calls itself %u",
			                 entries_at(&header->cpus, i), i, region->cpus[i].cpu);
	}
	return 0;
}

/* Why an event cannot be used, or NULL. */
static const char *entries_event_fault(const struct region *region, const struct tr_event *event)
{
	const struct perf_event_attr *attr = &event->attr;

	if (attr->size != PERF_ATTR_SIZE_VER7)
		return "its attr has the wrong size";
	if (!(attr->sample_type & PERF_SAMPLE_IDENTIFIER))
		return "its samples carry no IDENTIFIER";
	if (!(attr->flags & PERF_ATTR_SAMPLE_ID_ALL))
		return "sample_id_all is not set";
	if (!event->id)
		return "its id is 0, which perf keeps for made-up records";
	if (event->cpu >= region->header.cpus.count)
		return "there is no such CPU";
	if (event->evsel >= region->header.events.count)
		return "evsel is out of range";
	if (event->ring != TR_NONE && event->ring >= region->header.rings.count)
		return "there is no such ring";
	if (!memchr(event->name, 0, sizeof(event->name)))
		return "its name has no end";
	return NULL;
}

/* Instances of one event on several CPUs are one event to perf. */
static bool entries_disagree(const struct tr_event *a, const struct tr_event *b)
{
	return a->evsel == b->evsel &&
	       (a->attr.type != b->attr.type || a->attr.config != b->attr.config ||
	        a->attr.sample_type != b->attr.sample_type ||
	        a->attr.read_format != b->attr.read_format);
}

int region_check_events(const struct region *region, struct error *error)
{
	const struct tr_header *header = &region->header;

	for (uint32_t i = 0; i < header->events.count; i++) {
		const char *fault = entries_event_fault(region, &region->events[i]);

		for (uint32_t j = 0; !fault && j < i; j++) {
			if (region->events[j].id == region->events[i].id)
				fault = "another event has the same id";
			else if (entries_disagree(&region->events[j], &region->events[i]))
				fault = "it differs from its instance on another CPU";
		}
		if (fault)
			return error_set(error, -EPROTO,
			                 "trace region, offset 0x%llx: event %u: %s",
			                 entries_at(&header->events, i), i, fault);
	}
	return 0;
}

static const char *entries_image_fault(const struct tr_image *image)
{
	if (!image->size || image->size % TR_PAGE || image->address % TR_PAGE)
		return "it is not made of whole pages";
	if (image->address + image->size < image->address)
		return "it ends behind the end of memory";
	if (image->build_id_size > sizeof(image->build_id))
		return "its build-id is too long";
	if (!memchr(image->name, 0, sizeof(image->name)))
		return "its name has no end";
	return NULL;
}

int region_check_images(const struct region *region, struct error *error)
{
	const struct tr_header *header = &region->header;

	for (uint32_t i = 0; i < header->images.count; i++) {
		const char *fault = entries_image_fault(&region->images[i]);

		if (fault)
			return error_set(error, -EPROTO,
			                 "trace region, offset 0x%llx: image %u: %s",
			                 entries_at(&header->images, i), i, fault);
	}
	return 0;
}

/* A piece of the region that belongs to one ring alone. */
struct extent {
	uint64_t offset;
	uint64_t size;
};

static bool entries_is_power_of_two_pages(uint64_t size)
{
	return size >= TR_PAGE && !(size & (size - 1));
}

static bool entries_inside(const struct extent *extent, uint64_t region_size)
{
	return extent->offset >= sizeof(struct tr_header) && extent->offset % TR_PAGE == 0 &&
	       extent->offset <= region_size && extent->size <= region_size - extent->offset;
}

static bool entries_overlap(const struct extent *a, const struct extent *b)
{
	return a->size && b->size && a->offset < b->offset + b->size &&
	       b->offset < a->offset + a->size;
}

static void entries_extents_of(const struct tr_ring *ring, struct extent extents[3])
{
	extents[0] = (struct extent){ ring->control, TR_PAGE };
	extents[1] = (struct extent){ ring->data_offset, ring->data_size };
	extents[2] = (struct extent){ ring->aux_size ? ring->aux_offset : TR_PAGE, ring->aux_size };
}

static const char *entries_ring_fault(const struct region *region, const struct tr_ring *ring)
{
	uint64_t size = region->header.size;
	struct extent extents[3];

	entries_extents_of(ring, extents);
	if (ring->cpu >= region->header.cpus.count)
		return "there is no such CPU";
	if (ring->owner != TR_NONE && ring->owner >= region->header.events.count)
		return "its owner does not exist";
	if (!entries_is_power_of_two_pages(ring->data_size))
		return "data_size is no power of two of pages";
	if (ring->aux_size && !entries_is_power_of_two_pages(ring->aux_size))
		return "aux_size is no power of two of pages";
	if (!entries_inside(&extents[0], size))
		return "its control page is not inside the region";
	if (!entries_inside(&extents[1], size))
		return "its data is not inside the region";
	if (!entries_inside(&extents[2], size))
		return "its AUX area is not inside the region";
	if (entries_overlap(&extents[0], &extents[1]) ||
	    entries_overlap(&extents[0], &extents[2]) || entries_overlap(&extents[1], &extents[2]))
		return "its parts overlap";
	return NULL;
}

static bool entries_rings_overlap(const struct tr_ring *a, const struct tr_ring *b)
{
	struct extent of_a[3], of_b[3];

	entries_extents_of(a, of_a);
	entries_extents_of(b, of_b);
	for (int i = 0; i < 9; i++) {
		if (entries_overlap(&of_a[i / 3], &of_b[i % 3]))
			return true;
	}
	return false;
}

int region_check_rings(const struct region *region, struct error *error)
{
	const struct tr_header *header = &region->header;

	for (uint32_t i = 0; i < header->rings.count; i++) {
		const char *fault = entries_ring_fault(region, &region->rings[i]);

		for (uint32_t j = 0; !fault && j < i; j++) {
			if (entries_rings_overlap(&region->rings[i], &region->rings[j]))
				fault = "it overlaps another ring";
		}
		if (fault)
			return error_set(error, -EPROTO, "trace region, offset 0x%llx: ring %u: %s",
			                 entries_at(&header->rings, i), i, fault);
	}
	return 0;
}
