/* SPDX-License-Identifier: MIT */
/* Reads the traced program's output (docs/trace-region.md, "Streams") while the program writes it.
 */
#include <string.h>

#include "writer/region/region_check.h"
#include "writer/region/region_shared.h"

/* Returns the offset of the stream's entry; 0: no such stream. */
static uint64_t find_entry(const struct region *region, unsigned kind)
{
	struct tr_header header;
	struct error ignored = { "" };

	region_header(region, &header);
	header.size = region->size;
	if (kind >= header.streams.count ||
	    region_check_table(&header, &header.streams, "streams", sizeof(struct tr_stream),
	                       TR_STREAMS, &ignored))
		return 0;
	return region_entry(&header.streams, kind);
}

/* Copies and checks the entry; false: no valid stream. */
static bool copy_entry(const struct region *region, unsigned kind, struct tr_stream *stream)
{
	uint64_t at = find_entry(region, kind), head;

	if (!at)
		return false;
	/* D: the bytes before the head; pairs with A in ringbuf/stream.c. */
	head = __atomic_load_n((const uint64_t *)region_at(region, at), __ATOMIC_ACQUIRE);
	memcpy(stream, region_at(region, at), sizeof(*stream));
	stream->head = head;
	return stream->size && !(stream->size & (stream->size - 1)) &&
	       stream->offset >= sizeof(struct tr_header) && stream->offset <= region->size &&
	       stream->size <= region->size - stream->offset;
}

static uint64_t first_now(const struct region *region, unsigned kind)
{
	uint64_t at = find_entry(region, kind) + offsetof(struct tr_stream, first);

	return __atomic_load_n((const uint64_t *)region_at(region, at), __ATOMIC_RELAXED);
}

/* Returns the first available byte of [*from, head). */
static void pass_over(const struct tr_stream *stream, uint64_t *from, uint64_t *missing)
{
	uint64_t kept = stream->head > stream->size ? stream->head - stream->size : 0;
	uint64_t first = stream->first > stream->head ? 0 : stream->first;

	first = first > kept ? first : kept;
	if (first <= *from)
		return;
	*missing += first - *from;
	*from = first;
}

size_t region_stream(const struct region *region, unsigned kind, uint64_t *from, void *to,
                     size_t size, uint64_t *missing)
{
	struct tr_stream stream;
	uint64_t at, first, gone;

	if (!copy_entry(region, kind, &stream) || stream.head < *from)
		return 0;
	pass_over(&stream, from, missing);
	if (size > stream.head - *from)
		size = (size_t)(stream.head - *from);
	at = *from & (stream.size - 1);
	first = size < stream.size - at ? size : stream.size - at;
	memcpy(to, region_at(region, stream.offset + at), first);
	memcpy((uint8_t *)to + first, region_at(region, stream.offset), size - first);
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	stream.first = first_now(region, kind);
	/* Bytes that were dropped during the copy may be partly overwritten. */
	gone = stream.first > *from ? stream.first - *from : 0;
	if (gone) {
		gone = gone < size ? gone : size;
		memmove(to, (uint8_t *)to + gone, size - gone);
		*missing += gone;
	}
	*from += size;
	return size - gone;
}

uint64_t region_stream_begin(const struct region *region, unsigned kind, bool again)
{
	struct tr_stream stream;
	uint64_t kept;

	if (!copy_entry(region, kind, &stream))
		return 0;
	kept = stream.head > stream.size ? stream.head - stream.size : 0;
	if (again)
		return stream.first > kept ? stream.first : kept;
	return stream.tail > stream.first && stream.tail <= stream.head ? stream.tail
	                                                                : stream.first;
}

uint64_t region_stream_lost(const struct region *region, unsigned kind)
{
	struct tr_stream stream;

	return copy_entry(region, kind, &stream) ? stream.lost : 0;
}

int region_release_stream(const struct region *region, unsigned kind, uint64_t tail,
                          struct error *error)
{
	uint64_t at = find_entry(region, kind);

	if (!at)
		return 0;
	/* The bytes before the tail were read: C, in channel_publish(). */
	return channel_publish(region->channel, at + offsetof(struct tr_stream, tail), &tail,
	                       sizeof(tail), error);
}
