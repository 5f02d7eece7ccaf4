/* SPDX-License-Identifier: MIT */
/*
 * The calls of a branch trace as samples of the page: one for each time at which a CPU's stack of
 * calls changes, with the time until the next one as weight. So the page's flame graph, table and
 * selection work for calls as for samples, and its chart of calls has their times.
 */
#include <errno.h>

#include "host-tools/report/branches/call_stacks.h"
#include "host-tools/report/html/html_records.h"
#include "host-tools/util/array.h"

struct html_calls {
	struct html_records *records;
	struct call_stacks stacks;
	uint32_t event;
	int failed; /* of the page, not of the trace */
};

static int put_slice(void *context, const struct call_stacks_slice *slice)
{
	struct html_calls *calls = context;
	struct html_records *records = calls->records;
	struct series_key key = { SERIES_SAMPLES, calls->event, slice->cpu };
	struct series_sample sample = { slice->since, slice->length, 0 };

	sample.place = intern(&records->places.places, slice->node,
	                      call_stacks_address(&calls->stacks, slice->function));
	if (sample.place == INTERN_NONE)
		return calls->failed = -ENOMEM;
	if (records->first > records->last || slice->since < records->first)
		records->first = slice->since;
	if (slice->since + slice->length > records->last)
		records->last = slice->since + slice->length;
	records->calls++;
	return calls->failed = series_add(&records->series, &key, &sample);
}

int html_records_add_calls(struct html_records *records, struct recording_file *file)
{
	struct html_calls calls = {
		.records = records,
		.stacks = { .times.walk.runs.file = file,
		            .places = &records->places,
		            .put = put_slice },
		.event = file->reader.event_count,
	};
	struct error ignored = { "" }; /* a page without calls is a page */
	struct places *places = &records->places;

	if (!file->has_trace)
		return 0;
	calls.stacks.context = &calls;
	if (call_stacks_read(&calls.stacks, &ignored) == -ENOMEM)
		calls.failed = -ENOMEM;
	call_stacks_free(&calls.stacks);
	if (!calls.failed && places->nodes.count &&
	    !ARRAY_REACH(places->ours, places->ours_room, places->nodes.count))
		return -ENOMEM;
	return calls.failed;
}
