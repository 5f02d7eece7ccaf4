/* SPDX-License-Identifier: MIT */
#include "ringbuf/stream.h"

#include "ringbuf/bytes.h"

/* A 64-bit word at any alignment. */
struct stream_word {
	uint64_t value;
} __attribute__((packed, may_alias));

/* Copies within the ring; in whole words if both sides are aligned. */
static void stream_copy(uint8_t *to, const uint8_t *from, uint64_t size)
{
	uint64_t i = 0;

	while (i < size) {
		RING_OPAQUE(i);
		if ((uintptr_t)(to + i) % sizeof(uint64_t) || size - i < sizeof(uint64_t)) {
			to[i] = from[i];
			i++;
			continue;
		}
		*(ring_word *)(void *)(to + i) =
		    ((const struct stream_word *)(const void *)(from + i))->value;
		i += sizeof(uint64_t);
	}
}

void stream_init(struct stream *stream, struct tr_stream *shared, void *bytes, uint64_t offset,
                 uint32_t size)
{
	stream->shared = shared;
	stream->bytes = bytes;
	stream->size = size;
	stream->head = stream->tail = stream->first = stream->lost = 0;
	shared->offset = offset;
	shared->size = size;
}

void stream_begin(struct stream *stream)
{
	stream->tail = stream->first = stream->head;
	stream->lost = 0;
	__atomic_store_n(&stream->shared->first, stream->first, __ATOMIC_RELAXED);
	__atomic_store_n(&stream->shared->lost, 0, __ATOMIC_RELAXED);
}

uint64_t stream_room(struct stream *stream)
{
	/* B: the reader has read the bytes before the tail; pairs with C. */
	uint64_t tail = __atomic_load_n(&stream->shared->tail, __ATOMIC_ACQUIRE);

	if (tail - stream->tail <= stream->head - stream->tail)
		stream->tail = tail;
	return stream->size - (stream->head - stream->tail);
}

uint64_t stream_put(struct stream *stream, const void *bytes, uint64_t size)
{
	uint64_t room = stream_room(stream), at = stream->head & (stream->size - 1), first;

	size = size < room ? size : room;
	first = size < stream->size - at ? size : stream->size - at;
	stream_copy(stream->bytes + at, bytes, first);
	stream_copy(stream->bytes, (const uint8_t *)bytes + first, size - first);
	stream->head += size;
	/* A: the bytes before the head are complete; pairs with D. */
	__atomic_store_n(&stream->shared->head, stream->head, __ATOMIC_RELEASE);
	return size;
}

void stream_make_room(struct stream *stream, uint64_t size)
{
	uint64_t room = stream_room(stream);

	if (room >= size)
		return;
	stream->tail += size - room;
	stream->first = stream->tail;
	stream_lose(stream, size - room);
	__atomic_store_n(&stream->shared->first, stream->first, __ATOMIC_RELAXED);
	/* A reader of bytes that are written after this fence sees the changed `first`; pairs with
	 * the fence in host-tools/region/region_stream.c. */
	__atomic_thread_fence(__ATOMIC_RELEASE);
}

void stream_lose(struct stream *stream, uint64_t size)
{
	stream->lost += size;
	__atomic_store_n(&stream->shared->lost, stream->lost, __ATOMIC_RELAXED);
}
