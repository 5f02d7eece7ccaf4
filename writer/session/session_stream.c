/* SPDX-License-Identifier: MIT */
/* A session whose records go through a pipe. Its format is Linux's, perf.data-file-format.txt,
 * "Pipe-mode data". */
#include <string.h>

#include "writer/session/perf_features.h"
#include "writer/session/session.h"

/* A handler may be delayed between reading the time for its record and writing the record, for
 * example if QEMU's thread of that CPU waits for the host. A record that is delayed by less than a
 * round is not too late for perf. */
#define ROUND_MS 200U

/* The entries of the section have the form of records; in a stream their sizes are multiples of 8
 * bytes. */
static void session_stream_add_build_ids(struct blob *blob, const struct blob *section)
{
	struct perf_event_header header;

	for (size_t at = 0; at + sizeof(header) <= section->size; at += header.size) {
		struct perf_event_header padded;

		memcpy(&header, section->bytes + at, sizeof(header));
		padded = header;
		padded.size = (uint16_t)((header.size + 7U) & ~7U);
		blob_add(blob, &padded, sizeof(padded));
		blob_add(blob, section->bytes + at + sizeof(header), header.size - sizeof(header));
		blob_extend(blob, padded.size - header.size);
	}
}

/* A feature that is too large for a record is left out, as in perf. */
static void session_stream_add_feature(struct blob *blob, const struct perf_writer_feature *feature)
{
	struct perf_file_header_feature record = { .feature = feature->bit };
	size_t padding = -feature->blob.size & 7;
	size_t size = sizeof(record) + feature->blob.size + padding;

	if (size > UINT16_MAX)
		return;
	record.header.type = PERF_FILE_RECORD_HEADER_FEATURE;
	record.header.size = (uint16_t)size;
	blob_add(blob, &record, sizeof(record));
	blob_add(blob, feature->blob.bytes, feature->blob.size);
	blob_extend(blob, padding);
}

void session_stream_features(const struct session *session, struct blob *blob)
{
	struct perf_writer_feature features[PERF_FEATURES_MAX];
	const struct blob none = { 0 };
	const struct perf_features_input input = {
		.region = &session->region,
		.files = session->files,
		.ledger = &session->ledger,
		.aux_index = &none,
		.command = session->options.command,
		.command_words = session->options.command_words,
		.e_machine = session->options.e_machine,
	};
	size_t count = perf_features_build(features, &input);

	for (size_t i = 0; i < count; i++) {
		if (features[i].bit == PERF_FILE_BUILD_ID)
			session_stream_add_build_ids(blob, &features[i].blob);
		else if (features[i].bit != PERF_FILE_SAMPLE_TIME) /* not known yet */
			session_stream_add_feature(blob, &features[i]);
	}
	perf_features_free(features, count);
}

/* An overwritable ring is read at the end, however old its records are. */
static bool session_stream_has_snapshot(const struct session *session)
{
	for (uint32_t i = 0; i < session->region.header.rings.count; i++) {
		if (session->region.rings[i].flags & TR_RING_BACKWARD)
			return true;
	}
	return false;
}

/* At the end of a round perf prints the records that it had at the end of the round before, so the
 * last records need two rounds. */
void session_end_round(struct session *session, uint64_t now)
{
	const struct perf_event_header round = { .type = PERF_FILE_RECORD_FINISHED_ROUND,
		                                 .size = sizeof(round) };

	if (!session->writer.is_stream || session->has_more ||
	    now - session->rounds.at < ROUND_MS || session_stream_has_snapshot(session))
		return;
	if (perf_writer_size(&session->writer) != session->rounds.size)
		session->rounds.left = 2;
	if (!session->rounds.left)
		return;
	session->rounds.left--;
	session->rounds.at = now;
	perf_writer_add(&session->writer, &round, sizeof(round));
	perf_writer_flush(&session->writer);
	session->rounds.size = perf_writer_size(&session->writer);
}
