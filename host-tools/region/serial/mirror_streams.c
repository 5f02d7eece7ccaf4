/* SPDX-License-Identifier: MIT */
/* Plans the parts of the traced program's streams that a mirror fetches. */
#include <string.h>

#include "host-tools/region/serial/mirror_plan.h"

/* Copies and checks the entry; false: no valid stream. */
static bool find_stream(const struct mirror_plan *plan, uint32_t kind, struct tr_stream *stream)
{
	const struct tr_table *table = &plan->layout.header.streams;

	if (!plan->has_layout || kind >= table->count)
		return false;
	memcpy(stream, plan->stage + table->offset + (uint64_t)kind * table->stride,
	       sizeof(*stream));
	return stream->size >= sizeof(uint64_t) && !(stream->size & (stream->size - 1)) &&
	       stream->offset >= sizeof(struct tr_header) && stream->offset <= plan->layout.size &&
	       stream->size <= plan->layout.size - stream->offset;
}

void mirror_streams_begin(struct mirror_plan *plan)
{
	struct tr_stream stream;

	for (uint32_t i = 0; i < TR_STREAMS; i++) {
		if (find_stream(plan, i, &stream))
			plan->streams[i] = stream.tail > stream.first && stream.tail <= stream.head
			                       ? stream.tail
			                       : stream.first;
	}
}

void mirror_streams_want(struct mirror_plan *plan)
{
	struct tr_stream stream;

	for (uint32_t i = 0; i < TR_STREAMS; i++) {
		if (find_stream(plan, i, &stream))
			mirror_plan_want_area(plan, stream.offset, stream.size, stream.head,
			                      stream.head - plan->streams[i]);
	}
}

void mirror_streams_show(struct mirror_plan *plan)
{
	struct tr_stream stream;

	for (uint32_t i = 0; i < TR_STREAMS; i++) {
		if (find_stream(plan, i, &stream))
			plan->streams[i] = stream.head;
	}
}
