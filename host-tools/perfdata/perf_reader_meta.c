/* SPDX-License-Identifier: MIT */
/* A perf.data file's events and features. */
#include "host-tools/perfdata/perf_reader_meta.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "writer/region/region.h"

const uint8_t *perf_reader_feature(const struct perf_reader *reader, unsigned bit, size_t *size)
{
	const struct perf_file_header *header = &reader->header;
	uint64_t at = header->data.offset + header->data.size;
	struct perf_file_section section;

	if (reader->cut || !(header->features[bit / 64] >> bit % 64 & 1))
		return NULL;
	for (unsigned i = 0; i < bit; i++)
		at += (header->features[i / 64] >> i % 64 & 1) * sizeof(section);
	if (at > reader->size || reader->size - at < sizeof(section))
		return NULL;
	memcpy(&section, reader->bytes + at, sizeof(section));
	if (section.offset > reader->size || section.size > reader->size - section.offset)
		return NULL;
	*size = section.size;
	return reader->bytes + section.offset;
}

bool perf_reader_build_id(const uint8_t *bytes, size_t size, size_t *at,
                          struct perf_build_id *build_id)
{
	struct perf_file_build_id record;

	while (size - *at >= sizeof(record)) {
		memcpy(&record, bytes + *at, sizeof(record));
		if (record.header.size < sizeof(record) || record.header.size > size - *at)
			return false;
		*build_id = (struct perf_build_id){
			.path = (const char *)bytes + *at + sizeof(record),
			.path_size = record.header.size - sizeof(record),
			.size = record.header.misc & PERF_FILE_MISC_BUILD_ID_SIZE
			            ? record.size
			            : sizeof(record.id),
		};
		memcpy(build_id->id, record.id, sizeof(record.id));
		*at += record.header.size;
		if (build_id->size && build_id->size <= sizeof(record.id))
			return true;
	}
	return false;
}

/* The unread rest of a feature. */
struct piece {
	const uint8_t *at;
	size_t left;
};

static bool take(struct piece *piece, void *to, size_t size)
{
	if (size > piece->left)
		return false;
	if (to)
		memcpy(to, piece->at, size);
	piece->at += size;
	piece->left -= size;
	return true;
}

static bool take_string(struct piece *piece, char *to, size_t to_size)
{
	uint32_t length;

	if (!take(piece, &length, sizeof(length)) || length > piece->left)
		return false;
	region_printable(to, to_size, (const char *)piece->at, length);
	return take(piece, NULL, length);
}

void perf_reader_string(const struct perf_reader *reader, unsigned bit, char *to, size_t to_size)
{
	struct piece piece = { 0 };

	*to = 0;
	piece.at = perf_reader_feature(reader, bit, &piece.left);
	if (piece.at)
		take_string(&piece, to, to_size);
}

bool perf_reader_command_has(const struct perf_reader *reader, const char *word)
{
	struct piece piece = { 0 };
	char text[64];
	uint32_t count;

	piece.at = perf_reader_feature(reader, PERF_FILE_CMDLINE, &piece.left);
	if (!piece.at || !take(&piece, &count, sizeof(count)))
		return false;
	while (count-- && take_string(&piece, text, sizeof(text))) {
		if (!strcmp(text, word))
			return true;
	}
	return false;
}

/* Without EVENT_DESC the name is made of type and config, as in perf. */
static void default_name(struct perf_reader_event *event)
{
	static const char *const hardware[] = {
		"cycles",
		"instructions",
		"cache-references",
		"cache-misses",
		"branches",
		"branch-misses",
		"bus-cycles",
		"stalled-cycles-frontend",
		"stalled-cycles-backend",
		"ref-cycles",
	};
	const struct perf_event_attr *attr = &event->attr;

	if (attr->type == PERF_TYPE_HARDWARE &&
	    attr->config < sizeof(hardware) / sizeof(hardware[0]))
		snprintf(event->name, sizeof(event->name), "%s", hardware[attr->config]);
	else if (attr->type == PERF_TYPE_SOFTWARE && attr->config == PERF_COUNT_SW_CPU_CLOCK)
		snprintf(event->name, sizeof(event->name), "cpu-clock");
	else
		snprintf(event->name, sizeof(event->name), "type %u config 0x%" PRIx64, attr->type,
		         attr->config);
}

/* EVENT_DESC: nr, attr_size, then {attr, nr_ids, name, ids} in the order of the attributes. */
static void load_names(struct perf_reader *reader)
{
	struct piece piece = { 0 };
	uint32_t count, attr_size, ids;

	piece.at = perf_reader_feature(reader, PERF_FILE_EVENT_DESC, &piece.left);
	if (!piece.at || !take(&piece, &count, 4) || !take(&piece, &attr_size, 4))
		return;
	for (uint32_t i = 0; i < count && i < reader->event_count; i++) {
		char name[96];

		if (!take(&piece, NULL, attr_size) || !take(&piece, &ids, 4) ||
		    !take_string(&piece, name, sizeof(name)) ||
		    !take(&piece, NULL, (size_t)ids * sizeof(uint64_t)))
			return;
		if (*name)
			memcpy(reader->events[i].name, name, sizeof(name));
	}
}

struct id_pair {
	uint64_t id;
	uint32_t event;
};

static int compare_ids(const void *a, const void *b)
{
	const struct id_pair *left = a, *right = b;

	return (left->id > right->id) - (left->id < right->id);
}

/* The most ids that the file can have: each event's section is at most the whole file. */
static uint64_t most_ids(const struct perf_reader *reader)
{
	uint64_t most = (uint64_t)reader->event_count * (reader->size / sizeof(uint64_t));

	return most < PERF_READER_MAX_IDS ? most : PERF_READER_MAX_IDS;
}

/* Append an event's ids. */
static int load_ids(struct perf_reader *reader, struct id_pair *pairs, uint32_t event,
                    const struct perf_file_section *section, struct error *error)
{
	if (section->offset > reader->size || section->size > reader->size - section->offset ||
	    section->size / 8 > most_ids(reader) - reader->id_count)
		return error_set(error, -EPROTO,
		                 "event %u: its ids at 0x%" PRIx64 " are not in the file", event,
		                 section->offset);
	for (uint64_t i = 0; i < section->size / 8; i++) {
		struct id_pair *pair = &pairs[reader->id_count++];

		memcpy(&pair->id, reader->bytes + section->offset + 8 * i, sizeof(pair->id));
		pair->event = event;
	}
	return 0;
}

static int sort_ids(struct perf_reader *reader, struct id_pair *pairs, struct error *error)
{
	reader->ids = calloc(reader->id_count + 1, sizeof(*reader->ids));
	reader->id_events = calloc(reader->id_count + 1, sizeof(*reader->id_events));
	if (!reader->ids || !reader->id_events)
		return error_set(error, -ENOMEM, "no memory for the ids");
	qsort(pairs, reader->id_count, sizeof(*pairs), compare_ids);
	for (uint32_t i = 0; i < reader->id_count; i++) {
		reader->ids[i] = pairs[i].id;
		reader->id_events[i] = pairs[i].event;
	}
	reader->last_event = TR_NONE;
	return 0;
}

/* The word of an event's samples that holds the id; source: perf_event_open(2), PERF_RECORD_SAMPLE.
 * */
static size_t id_word(const struct perf_event_attr *attr)
{
	const uint64_t before = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
	                        PERF_SAMPLE_ADDR;

	if (attr->sample_type & PERF_SAMPLE_IDENTIFIER)
		return 1;
	if (!(attr->sample_type & PERF_SAMPLE_ID))
		return 0;
	return 1 + (size_t)__builtin_popcountll(attr->sample_type & before);
}

/* The same for other records, counted from their ends; source: the same page, struct sample_id. */
static size_t id_word_back(const struct perf_event_attr *attr)
{
	const uint64_t behind = PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU;

	if (attr->sample_type & PERF_SAMPLE_IDENTIFIER)
		return 1;
	if (!(attr->sample_type & PERF_SAMPLE_ID))
		return 0;
	return 1 + (size_t)__builtin_popcountll(attr->sample_type & behind);
}

static int load_attr(struct perf_reader *reader, uint32_t i, struct id_pair *pairs,
                     struct error *error)
{
	const struct perf_file_header *header = &reader->header;
	const uint8_t *at = reader->bytes + header->attrs.offset + i * header->attr_size;
	struct perf_event_attr *attr = &reader->events[i].attr;
	size_t size = header->attr_size - sizeof(struct perf_file_section);
	struct perf_file_section ids;

	memcpy(attr, at, size < sizeof(*attr) ? size : sizeof(*attr));
	memcpy(&ids, at + size, sizeof(ids));
	if (!i) {
		reader->id_word = id_word(attr);
		reader->id_word_back = id_word_back(attr);
	} else if (!reader->id_word || reader->id_word != id_word(attr) ||
	           reader->id_word_back != id_word_back(attr)) {
		return error_set(error, -EPROTO,
		                 "its events' records have no ids, or have them at different "
		                 "places: which event a record is of cannot be known");
	}
	default_name(&reader->events[i]);
	return load_ids(reader, pairs, i, &ids, error);
}

int perf_reader_load_events(struct perf_reader *reader, struct error *error)
{
	const struct perf_file_header *header = &reader->header;
	struct id_pair *pairs;
	int code = 0;

	reader->event_count = (uint32_t)(header->attrs.size / header->attr_size);
	pairs = malloc((most_ids(reader) + 1) * sizeof(*pairs));
	reader->events = calloc(reader->event_count + 1, sizeof(*reader->events));
	if (!pairs || !reader->events) {
		free(pairs);
		return error_set(error, -ENOMEM, "no memory for the events");
	}
	for (uint32_t i = 0; !code && i < reader->event_count; i++)
		code = load_attr(reader, i, pairs, error);
	if (!code)
		code = sort_ids(reader, pairs, error);
	if (!code)
		load_names(reader);
	free(pairs);
	return code;
}
