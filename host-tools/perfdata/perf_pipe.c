/* SPDX-License-Identifier: MIT */
#include "host-tools/perfdata/perf_pipe.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "writer/perfdata/perf_file.h"

#define ATTR_SIZE_VER0 64U /* the smallest size that ever existed */
#define FEATURES       (8 * sizeof(((struct perf_file_header *)NULL)->features))

/* The parts of the file. */
struct parts {
	struct blob attrs; /* struct perf_file_attr, their ids counted from the first id */
	struct blob ids;
	struct blob records;
	struct blob build_ids;
	struct blob_piece features[FEATURES]; /* bytes NULL: not present */
};

bool perf_pipe_is(const uint8_t *bytes, size_t size)
{
	struct perf_pipe_header header;

	if (size < sizeof(header))
		return false;
	memcpy(&header, bytes, sizeof(header));
	return header.magic == PERF_FILE_MAGIC && header.size == sizeof(header);
}

static bool add_attr(struct parts *parts, const uint8_t *record, size_t size)
{
	struct perf_file_attr entry = { 0 };
	size_t start = sizeof(struct perf_event_header), attr_size;
	uint32_t said;

	if (size < start + ATTR_SIZE_VER0)
		return false;
	memcpy(&said, record + start + offsetof(struct perf_event_attr, size), sizeof(said));
	attr_size = said ? said : ATTR_SIZE_VER0;
	if (attr_size < ATTR_SIZE_VER0 || attr_size > size - start)
		return false;
	memcpy(&entry.attr, record + start,
	       attr_size < sizeof(entry.attr) ? attr_size : sizeof(entry.attr));
	entry.ids.offset = parts->ids.size;
	entry.ids.size = (size - start - attr_size) / sizeof(uint64_t) * sizeof(uint64_t);
	blob_add(&parts->attrs, &entry, sizeof(entry));
	blob_add(&parts->ids, record + start + attr_size, entry.ids.size);
	return true;
}

static bool add_feature(struct parts *parts, const uint8_t *record, size_t size)
{
	struct perf_file_header_feature feature;

	if (size < sizeof(feature))
		return false;
	memcpy(&feature, record, sizeof(feature));
	if (feature.feature < FEATURES)
		parts->features[feature.feature] =
		    (struct blob_piece){ record + sizeof(feature), size - sizeof(feature) };
	return true;
}

/* The number of bytes that follow a record and are not part of its size; if more than left, they
 * are cut off. */
static uint64_t size_behind(const uint8_t *record, const struct perf_event_header *header)
{
	struct perf_file_auxtrace trace = { 0 };
	uint32_t formats = 0;

	memcpy(&trace, record, header->size < sizeof(trace) ? header->size : sizeof(trace));
	if (header->type == PERF_FILE_RECORD_AUXTRACE)
		return trace.size;
	if (header->type != PERF_FILE_RECORD_TRACING_DATA ||
	    header->size < sizeof(*header) + sizeof(formats))
		return 0;
	memcpy(&formats, record + sizeof(*header), sizeof(formats));
	return ((uint64_t)formats + 7) / 8 * 8;
}

static bool add_record(struct parts *parts, const uint8_t *record, size_t size, size_t behind)
{
	struct perf_event_header header;

	memcpy(&header, record, sizeof(header));
	switch (header.type) {
	case PERF_FILE_RECORD_HEADER_ATTR:
		return add_attr(parts, record, size);
	case PERF_FILE_RECORD_HEADER_FEATURE:
		return add_feature(parts, record, size);
	case PERF_FILE_RECORD_BUILD_ID:
		blob_add(&parts->build_ids, record, size);
		return true;
	case PERF_FILE_RECORD_TRACING_DATA:
		return true;
	default:
		blob_add(&parts->records, record, size + behind);
		return true;
	}
}

static int take_apart(struct parts *parts, const uint8_t *bytes, size_t size, struct error *broken)
{
	size_t at = sizeof(struct perf_pipe_header);

	while (at < size) {
		const char *why = NULL;
		struct perf_event_header header;
		uint64_t behind = 0;

		memset(&header, 0, sizeof(header));
		if (size - at < sizeof(header))
			why = "cut off within its header";
		else
			memcpy(&header, bytes + at, sizeof(header));
		if (!why && header.size < sizeof(header))
			why = "its size is impossible";
		if (!why && header.size > size - at)
			why = "cut off";
		if (!why)
			behind = size_behind(bytes + at, &header);
		if (!why && behind > size - at - header.size)
			why = "the data behind it are cut off";
		if (!why && !add_record(parts, bytes + at, header.size, behind))
			why = "its size is impossible";
		if (why)
			return error_set(broken, -EPROTO,
			                 "record at offset 0x%zx of the stream: %s", at, why);
		at += header.size + behind;
	}
	return 0;
}

static void put_features(const struct parts *parts, struct blob *file)
{
	uint64_t at = file->size;

	for (size_t i = 0; i < FEATURES; i++)
		at += parts->features[i].bytes ? sizeof(struct perf_file_section) : 0;
	for (size_t i = 0; i < FEATURES; i++) {
		const struct blob_piece *piece = &parts->features[i];
		const struct perf_file_section section = { at, piece->size };

		if (piece->bytes)
			blob_add(file, &section, sizeof(section));
		at += piece->bytes ? piece->size : 0;
	}
	for (size_t i = 0; i < FEATURES; i++)
		blob_add(file, parts->features[i].bytes, parts->features[i].size);
}

static void put_file(struct parts *parts, struct blob *file)
{
	struct perf_file_header header = {
		.magic = PERF_FILE_MAGIC,
		.size = sizeof(header),
		.attr_size = sizeof(struct perf_file_attr),
		.attrs = { sizeof(header), parts->attrs.size },
		.data.size = parts->records.size,
	};
	size_t ids = sizeof(header) + parts->attrs.size;

	if (parts->build_ids.size)
		parts->features[PERF_FILE_BUILD_ID] =
		    (struct blob_piece){ parts->build_ids.bytes, parts->build_ids.size };
	for (size_t i = 0; i < FEATURES; i++)
		header.features[i / 64] |= (uint64_t) !!parts->features[i].bytes << i % 64;
	for (size_t at = 0; at < parts->attrs.size; at += sizeof(struct perf_file_attr))
		((struct perf_file_attr *)(void *)(parts->attrs.bytes + at))->ids.offset += ids;
	header.data.offset = ids + parts->ids.size;
	blob_add(file, &header, sizeof(header));
	blob_add(file, parts->attrs.bytes, parts->attrs.size);
	blob_add(file, parts->ids.bytes, parts->ids.size);
	blob_add(file, parts->records.bytes, parts->records.size);
	put_features(parts, file);
}

int perf_pipe_to_file(const uint8_t *bytes, size_t size, struct blob *file, struct error *broken,
                      struct error *error)
{
	struct parts parts = { 0 };
	int code = 0;

	take_apart(&parts, bytes, size, broken);
	put_file(&parts, file);
	if (parts.attrs.failed || parts.ids.failed || parts.records.failed ||
	    parts.build_ids.failed || file->failed)
		code = error_set(error, -ENOMEM, "no memory for the stream's records");
	else if (!parts.attrs.size)
		code = error_set(error, -EPROTO, "%s",
		                 *broken->text ? broken->text : "the stream has no events");
	blob_free(&parts.attrs);
	blob_free(&parts.ids);
	blob_free(&parts.records);
	blob_free(&parts.build_ids);
	return code;
}
