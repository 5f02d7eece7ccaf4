/* SPDX-License-Identifier: MIT */
#include "ringbuf/reader/ring_reader.h"

#include <errno.h>
#include <string.h>

#include "arch/arch.h"

#define TYPE_LAST 63    /* types from 64 on belong to perf.data and never occur in a ring */
#define AHEAD     4096U /* distance from a record to the memory to prefetch */

static int reader_refuse(struct ring_reader *reader, uint64_t position, const char *reason)
{
	if (!reader->error.reason) {
		reader->error.position = position;
		reader->error.offset = (reader->backward ? -position : position) &
		                       (reader->size - 1);
		reader->error.reason = reason;
	}
	return -EILSEQ;
}

int ring_reader_init(struct ring_reader *reader, struct perf_event_mmap_page *control,
                     const void *data, uint64_t size, uint32_t flags)
{
	if (size < TR_PAGE || (size & (size - 1)))
		return -EINVAL;
	reader->control = control;
	reader->data = data;
	reader->size = size;
	reader->backward = flags & TR_RING_BACKWARD;
	reader->still = false;
	reader->error = (struct ring_error){ 0 };
	reader->seen = 0;
	reader->position =
	    reader->backward ? 0 : __atomic_load_n(&control->data_tail, __ATOMIC_RELAXED);
	reader->began = reader->position;
	reader->head = reader->position;
	if (reader->position % 8)
		return reader_refuse(reader, reader->position, "data_tail is not a multiple of 8");
	return ring_reader_refresh(reader) < 0 ? -EILSEQ : 0;
}

static int64_t reader_refresh_backward(struct ring_reader *reader, uint64_t head)
{
	uint64_t fresh;

	head = -head;
	if (head % 8)
		return reader_refuse(reader, head, "data_head is not a multiple of 8");
	if (head < reader->head)
		return reader_refuse(reader, head, "data_head of an overwritable ring went up");
	if (reader->position) /* else no record was taken: all of them are still new */
		reader->seen = reader->head;
	reader->head = head;
	reader->position = 0;
	fresh = head - reader->seen;
	return (int64_t)(fresh < reader->size ? fresh : reader->size);
}

int64_t ring_reader_refresh(struct ring_reader *reader)
{
	/* D: the records up to this head are complete; pairs with A. */
	uint64_t head = __atomic_load_n(&reader->control->data_head, __ATOMIC_ACQUIRE);

	if (reader->error.reason)
		return -EILSEQ;
	if (reader->backward)
		return reader_refresh_backward(reader, head);
	if (head % 8)
		return reader_refuse(reader, head, "data_head is not a multiple of 8");
	if (head < reader->head)
		return reader_refuse(reader, head, "data_head went back");
	if (head - reader->position > reader->size)
		return reader_refuse(reader, head,
		                     "data_head is more than the ring ahead of data_tail");
	reader->head = head;
	return (int64_t)(head - reader->position);
}

/* Returns why a record with this header is impossible, with this many bytes left; NULL if it is
 * possible. */
static const char *reader_implausible(const struct perf_event_header *header, uint64_t left)
{
	if (header->type == 0 || header->type > TYPE_LAST)
		return "no such record type";
	if (header->size < sizeof(*header))
		return "a record shorter than its header";
	if (header->size % 8)
		return "a record's size is not a multiple of 8";
	if (header->size > left)
		return "a record reaches beyond data_head";
	return NULL;
}

/* Reads the header at this offset in one load, so that the checked header is the used header. */
static struct perf_event_header reader_fetch_header(const struct ring_reader *reader,
                                                    uint64_t offset)
{
	uint64_t word = __atomic_load_n((const uint64_t *)(const void *)(reader->data + offset),
	                                __ATOMIC_RELAXED);
	struct perf_event_header header;

	memcpy(&header, &word, sizeof(header));
	return header;
}

/* Copies the record at this offset: the checked header, and the bytes after it. */
static void reader_fetch(const struct ring_reader *reader, uint64_t offset,
                         const struct perf_event_header *header, uint8_t *to)
{
	uint64_t first = reader->size - offset < header->size ? reader->size - offset
	                                                      : header->size;

	memcpy(to, header, sizeof(*header));
	memcpy(to + sizeof(*header), reader->data + offset + sizeof(*header),
	       first - sizeof(*header));
	memcpy(to + first, reader->data, header->size - first);
}

/* Reports whether the writer may have overwritten bytes this far behind the snapshot's head, by a
 * published record or, if the run is not over, by a record in flight. */
static bool reader_overwritten(const struct ring_reader *reader, uint64_t end)
{
	uint64_t ahead = reader->still ? 0 : TR_IN_FLIGHT(reader->size);
	uint64_t now;

	__atomic_thread_fence(__ATOMIC_ACQUIRE); /* H: the copy, then the head; pairs with G */
	now = -__atomic_load_n(&reader->control->data_head, __ATOMIC_RELAXED);
	return now - reader->head + ahead + end > reader->size;
}

static int reader_take_backward(struct ring_reader *reader, void *to)
{
	uint64_t fresh = reader->head - reader->seen, offset;
	struct perf_event_header header;
	const char *reason;

	if (reader->position >= fresh || reader->position + sizeof(header) > reader->size)
		return 0;
	offset = (reader->position - reader->head) & (reader->size - 1);
	header = reader_fetch_header(reader, offset);
	if (reader_overwritten(reader, reader->position + sizeof(header)))
		return 0;
	reason = reader_implausible(&header, fresh - reader->position);
	if (reason)
		return reader_refuse(reader, reader->head - reader->position, reason);
	if (reader->position + header.size > reader->size)
		return 0; /* the oldest record's end is overwritten */
	reader_fetch(reader, offset, &header, to);
	if (reader_overwritten(reader, reader->position + header.size))
		return 0;
	reader->position += header.size;
	return header.size;
}

int ring_reader_take(struct ring_reader *reader, void *to)
{
	struct perf_event_header header;
	uint64_t offset;
	const char *reason;

	if (reader->error.reason)
		return -EILSEQ;
	if (reader->backward)
		return reader_take_backward(reader, to);
	if (reader->position == reader->head)
		return 0;
	offset = reader->position & (reader->size - 1);
	/* This record's size gives the next record's place, so memory is prefetched before. Not
	 * beyond the head: the writer would have to fetch those lines back. */
	if (reader->head - reader->position > AHEAD)
		__builtin_prefetch(reader->data + ((offset + AHEAD) & (reader->size - 1)));
	header = reader_fetch_header(reader, offset);
	reason = reader_implausible(&header, reader->head - reader->position);
	if (reason)
		return reader_refuse(reader, reader->position, reason);
	reader_fetch(reader, offset, &header, to);
	reader->position += header.size;
	return header.size;
}

int ring_reader_next(struct ring_reader *reader, const struct perf_event_header **record)
{
	int got = ring_reader_take(reader, reader->scratch);

	*record = (const struct perf_event_header *)reader->scratch;
	return got > 0 ? 1 : got;
}

void ring_reader_resume(struct ring_reader *reader, uint64_t position)
{
	reader->position = reader->head = position;
	reader->error = (struct ring_error){ 0 };
}

bool ring_reader_tail(const struct ring_reader *reader, uint64_t *tail)
{
	*tail = reader->position;
	return !reader->backward && !reader->error.reason;
}

void ring_reader_release(struct ring_reader *reader)
{
	uint64_t tail;

	/* C: the records have been read before the firmware may write there; pairs with B. */
	if (ring_reader_tail(reader, &tail))
		__atomic_store_n(&reader->control->data_tail, tail, __ATOMIC_RELEASE);
}

bool ring_reader_clear(uint32_t *pending)
{
	bool was_set = __atomic_exchange_n(pending, 0, __ATOMIC_RELAXED);

	arch_fence(); /* F, pairs with E in ringbuf/owner.h */
	return was_set;
}
