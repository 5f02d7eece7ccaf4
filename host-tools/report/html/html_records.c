/* SPDX-License-Identifier: MIT */
#include "host-tools/report/html/html_records.h"

#include <errno.h>
#include <stdlib.h>

#include "host-tools/util/array.h"
#include "writer/perfdata/mark_text.h"

#define GAPS (PERF_AUX_FLAG_TRUNCATED | PERF_AUX_FLAG_PARTIAL | PERF_AUX_FLAG_COLLISION)

/* An event that is throttled on a CPU. */
struct html_stop {
	struct series_key key;
	uint64_t since;
	bool is_on;
};

/* PERF_RECORD_THROTTLE and UNTHROTTLE without their trailers. */
struct throttle {
	struct perf_event_header header;
	uint64_t time, id, stream_id;
};

static int add(struct html_records *records, const struct series_key *key, uint64_t time,
               uint64_t weight, uint32_t place)
{
	const struct series_sample sample = { time, weight, place };

	if (records->first > records->last || time < records->first)
		records->first = time;
	records->last = time > records->last ? time : records->last;
	return series_add(&records->series, key, &sample);
}

static int add_sample(struct html_records *records, const struct perf_reader *reader,
                      const struct perf_reader_event *event, const struct perf_event_header *record)
{
	const struct perf_event_attr *attr = &event->attr;
	struct series_key key = { SERIES_SAMPLES, (uint32_t)(event - reader->events), 0 };
	struct sample sample;
	uint64_t weight;
	uint32_t place;
	int code;

	if (!sample_parse(record, attr, &sample))
		return 0;
	key.cpu = sample.cpu;
	weight = attr->sample_type & PERF_SAMPLE_PERIOD ? sample.period : attr->sample_period;
	place = places_add(&records->places, &sample);
	if (place == INTERN_NONE)
		return -ENOMEM;
	code = add(records, &key, sample.time, weight, place);
	if (!code && mark_text_is(attr))
		code = mark_regions_add(&records->marks, key.event, &sample);
	return code;
}

/* Get the CPU and the time of a record, if the record has them. */
static struct sample trailer_of(const struct perf_reader_event *event,
                                const struct perf_event_header *record)
{
	struct sample trailer = { 0 };

	if (!(event->attr.flags & PERF_ATTR_SAMPLE_ID_ALL) ||
	    !sample_parse_trailer(record, event->attr.sample_type, &trailer))
		return (struct sample){ 0 };
	return trailer;
}

static struct html_stop *find_stop(struct html_records *records, uint64_t id,
                                   const struct series_key *key)
{
	uint32_t seen = records->stopped.count, number = intern(&records->stopped, id, key->cpu);

	if (number == INTERN_NONE || (number == seen && !ARRAY_ROOM(records->stops, seen)))
		return NULL;
	if (number == seen)
		records->stops[seen] = (struct html_stop){ .key = *key };
	return &records->stops[number];
}

static int end_stop(struct html_records *records, struct html_stop *stop, uint64_t now)
{
	if (!stop->is_on)
		return 0;
	stop->is_on = false;
	return add(records, &stop->key, stop->since, now > stop->since ? now - stop->since : 0, 0);
}

static int add_throttle(struct html_records *records, const struct perf_event_header *record,
                        struct series_key *key)
{
	const struct throttle *throttle = (const void *)record;
	struct html_stop *stop;

	if (record->size < sizeof(*throttle))
		return 0;
	key->kind = SERIES_THROTTLED;
	stop = find_stop(records, throttle->id, key);
	if (!stop)
		return -ENOMEM;
	if (record->type == PERF_RECORD_UNTHROTTLE)
		return end_stop(records, stop, throttle->time);
	if (!stop->is_on)
		stop->since = throttle->time;
	stop->is_on = true;
	return 0;
}

static int add_lost(struct html_records *records, const struct perf_event_header *record,
                    struct series_key *key, uint64_t time)
{
	const struct perf_record_lost *lost = (const void *)record;
	const struct perf_record_lost_samples *samples = (const void *)record;

	key->kind = SERIES_LOST;
	key->event = 0;
	if (record->type == PERF_RECORD_LOST && record->size >= sizeof(*lost))
		return add(records, key, time, lost->lost, 0);
	if (record->type == PERF_RECORD_LOST_SAMPLES && record->size >= sizeof(*samples))
		return add(records, key, time, samples->lost, 0);
	return 0;
}

static int add_gap(struct html_records *records, const struct perf_event_header *record,
                   struct series_key *key, uint64_t time)
{
	const struct perf_record_aux *aux = (const void *)record;

	if (record->size < sizeof(*aux) || !(aux->flags & GAPS))
		return 0;
	key->kind = SERIES_GAPS;
	return add(records, key, time, 1, aux->flags & GAPS);
}

/* Count the bytes of a trace. The page does not show the trace, but its size. */
static void add_trace(struct html_records *records, const struct perf_event_header *record)
{
	const struct perf_file_auxtrace *trace = (const void *)record;

	if (record->size >= sizeof(*trace))
		records->trace_bytes += trace->size;
}

int html_records_mark(void *context, const struct mark_region *region)
{
	struct html_records *records = context;
	const struct series_key key = { SERIES_MARKS, region->event, region->cpu };
	const struct series_sample sample = { region->since, region->length, region->name };

	return series_add(&records->series, &key, &sample);
}

int html_records_add(void *context, struct perf_reader *reader,
                     const struct perf_event_header *record)
{
	struct html_records *records = context;
	const struct perf_reader_event *event = perf_reader_event_of(reader, record);
	struct series_key key = { 0 };
	struct sample trailer;

	if (record->type == PERF_FILE_RECORD_AUXTRACE)
		add_trace(records, record);
	if (!event || (records->only && event != records->only))
		return 0;
	if (record->type == PERF_RECORD_SAMPLE)
		return add_sample(records, reader, event, record);
	trailer = trailer_of(event, record);
	key.event = (uint32_t)(event - reader->events);
	key.cpu = trailer.cpu;
	switch (record->type) {
	case PERF_RECORD_LOST:
	case PERF_RECORD_LOST_SAMPLES:
		return add_lost(records, record, &key, trailer.time);
	case PERF_RECORD_THROTTLE:
	case PERF_RECORD_UNTHROTTLE:
		return add_throttle(records, record, &key);
	case PERF_RECORD_AUX:
		return add_gap(records, record, &key, trailer.time);
	default:
		return 0;
	}
}

int html_records_end(struct html_records *records)
{
	int code = mark_regions_end(&records->marks, records->last);

	for (uint32_t i = 0; !code && i < records->stopped.count; i++)
		code = end_stop(records, &records->stops[i], records->last);
	return code ? code : series_flush(&records->series);
}

void html_records_free(struct html_records *records)
{
	places_free(&records->places);
	mark_regions_free(&records->marks);
	series_free(&records->series);
	intern_free(&records->stopped);
	free(records->stops);
}
