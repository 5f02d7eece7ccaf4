/* SPDX-License-Identifier: MIT */
/*
 * Writes pprof's gzipped protocol buffer. Source: google/pprof, proto/profile.proto; Protocol
 * Buffers Encoding, "Base 128 Varints", "Message Structure". A sample's innermost frame is a
 * location with an address; its callers are locations of functions without addresses.
 */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>
#include <zlib.h>

#include "host-tools/report/export/export_format.h"
#include "host-tools/report/series.h"
#include "writer/util/blob.h"

enum {
	PROFILE_SAMPLE_TYPE = 1,
	PROFILE_SAMPLE,
	PROFILE_MAPPING,
	PROFILE_LOCATION,
	PROFILE_FUNCTION,
	PROFILE_STRING
};
enum { VALUE_TYPE = 1, VALUE_UNIT };
enum { SAMPLE_LOCATIONS = 1, SAMPLE_VALUES };
enum { MAPPING_ID = 1, MAPPING_FILE = 5, MAPPING_HAS_FUNCTIONS = 7 };
enum { LOCATION_ID = 1, LOCATION_MAPPING, LOCATION_ADDRESS, LOCATION_LINE };
enum { LINE_FUNCTION = 1 };
enum { FUNCTION_ID = 1, FUNCTION_NAME, FUNCTION_SYSTEM_NAME, FUNCTION_FILE };

struct pprof {
	const struct export *export;
	const struct export_sums *sums;
	gzFile out;
	struct intern files; /* a: const char *; number + 1 is the mapping's id */
	uint32_t strings;    /* strings written so far */
	struct blob message; /* the message being built */
	struct blob packed;  /* a packed list for message */
};

static void put_varint(struct blob *blob, unsigned field, uint64_t value)
{
	series_number(blob, field << 3);
	series_number(blob, value);
}

static void put_bytes(struct blob *blob, unsigned field, const void *bytes, size_t size)
{
	series_number(blob, field << 3 | 2);
	series_number(blob, size);
	blob_add(blob, bytes, size);
}

/* Write the message as a field of the profile. */
static void put_message(struct pprof *pprof, unsigned field)
{
	struct blob head = { 0 };

	series_number(&head, field << 3 | 2);
	series_number(&head, pprof->message.size);
	gzwrite(pprof->out, head.bytes, (unsigned)head.size);
	if (pprof->message.size)
		gzwrite(pprof->out, pprof->message.bytes, (unsigned)pprof->message.size);
	blob_free(&head);
	pprof->message.size = 0;
}

/* Write a string. Returns its number. */
static uint64_t put_string(struct pprof *pprof, const char *text)
{
	struct blob message = pprof->message;

	pprof->message = (struct blob){ 0 };
	blob_printf(&pprof->message, "%s", text);
	put_message(pprof, PROFILE_STRING);
	blob_free(&pprof->message);
	pprof->message = message;
	return pprof->strings++;
}

static void put_value_type(struct pprof *pprof, const char *type, const char *unit)
{
	uint64_t type_text = put_string(pprof, type), unit_text = put_string(pprof, unit);

	put_varint(&pprof->message, VALUE_TYPE, type_text);
	put_varint(&pprof->message, VALUE_UNIT, unit_text);
	put_message(pprof, PROFILE_SAMPLE_TYPE);
}

static bool is_wanted(const struct pprof *pprof, uint32_t event)
{
	const struct perf_reader_event *one = &pprof->export->file->reader.events[event];

	return one->samples && (!pprof->export->only || pprof->export->only == one);
}

/* Write the types of a sample's values: for each event the number of samples, and their weight. */
static void put_types(struct pprof *pprof)
{
	const struct perf_reader *reader = &pprof->export->file->reader;

	put_string(pprof, "");
	for (uint32_t i = 0; i < pprof->sums->events; i++) {
		char samples[sizeof(reader->events[i].name) + 8];

		if (!is_wanted(pprof, i))
			continue;
		snprintf(samples, sizeof(samples), "%s samples", reader->events[i].name);
		put_value_type(pprof, samples, "count");
		put_value_type(pprof, reader->events[i].name,
		               perf_reader_is_clock(&reader->events[i]) ? "nanoseconds" : "count");
	}
}

static uint64_t location_of_place(const struct pprof *pprof, uint32_t place)
{
	return pprof->export->places.functions.count + 1ULL + place;
}

/* Append the packed list to the message. */
static void put_packed(struct pprof *pprof, unsigned field)
{
	put_bytes(&pprof->message, field, pprof->packed.bytes, pprof->packed.size);
	pprof->packed.size = 0;
}

static void put_sample(struct pprof *pprof, uint32_t place)
{
	const struct places *places = &pprof->export->places;
	const struct export_sum *sums = &pprof->sums->sums[(size_t)place * pprof->sums->events];
	uint64_t node = places->places.keys[place].a;

	series_number(&pprof->packed, location_of_place(pprof, place));
	for (uint64_t at = places->nodes.keys[node].a; at; at = places->nodes.keys[at - 1].a)
		series_number(&pprof->packed, places->nodes.keys[at - 1].b + 1);
	put_packed(pprof, SAMPLE_LOCATIONS);
	for (uint32_t i = 0; i < pprof->sums->events; i++) {
		if (!is_wanted(pprof, i))
			continue;
		series_number(&pprof->packed, sums[i].samples);
		series_number(&pprof->packed, sums[i].weight);
	}
	put_packed(pprof, SAMPLE_VALUES);
	put_message(pprof, PROFILE_SAMPLE);
}

static void put_location(struct pprof *pprof, uint64_t id, uint64_t address, uint32_t function)
{
	const char *file = places_file(&pprof->export->places, function);

	put_varint(&pprof->message, LOCATION_ID, id);
	if (file)
		put_varint(&pprof->message, LOCATION_MAPPING,
		           intern(&pprof->files, (uintptr_t)file, 0) + 1ULL);
	if (address)
		put_varint(&pprof->message, LOCATION_ADDRESS, address);
	put_varint(&pprof->packed, LINE_FUNCTION, function + 1ULL);
	put_packed(pprof, LOCATION_LINE);
	put_message(pprof, PROFILE_LOCATION);
}

static void put_function(struct pprof *pprof, uint32_t function)
{
	const char *file = places_file(&pprof->export->places, function);
	uint64_t name, file_name;
	char text[256];

	name = put_string(pprof, export_function(pprof->export, function, text));
	file_name = file ? put_string(pprof, file) : 0;
	put_varint(&pprof->message, FUNCTION_ID, function + 1ULL);
	put_varint(&pprof->message, FUNCTION_NAME, name);
	put_varint(&pprof->message, FUNCTION_SYSTEM_NAME, name);
	put_varint(&pprof->message, FUNCTION_FILE, file_name);
	put_message(pprof, PROFILE_FUNCTION);
}

static void put_mappings(struct pprof *pprof)
{
	for (uint32_t i = 0; i < pprof->files.count; i++) {
		uint64_t name = put_string(pprof, (const char *)(uintptr_t)pprof->files.keys[i].a);

		put_varint(&pprof->message, MAPPING_ID, i + 1ULL);
		put_varint(&pprof->message, MAPPING_FILE, name);
		put_varint(&pprof->message, MAPPING_HAS_FUNCTIONS, 1);
		put_message(pprof, PROFILE_MAPPING);
	}
}

static void put_profile(struct pprof *pprof)
{
	const struct places *places = &pprof->export->places;

	put_types(pprof);
	for (uint32_t i = 0; i < places->places.count; i++)
		put_sample(pprof, i);
	for (uint32_t i = 0; i < places->functions.count; i++) {
		put_location(pprof, i + 1ULL, 0, i);
		put_function(pprof, i);
	}
	for (uint32_t i = 0; i < places->places.count; i++) {
		const struct intern_key *place = &places->places.keys[i];

		put_location(pprof, location_of_place(pprof, i),
		             symbols_real(places->symbols, place->b),
		             (uint32_t)places->nodes.keys[place->a].b);
	}
	put_mappings(pprof);
}

int export_pprof(struct export *export, struct error *error)
{
	struct export_sums sums = { 0 };
	struct pprof pprof = { .export = export, .sums = &sums };
	int code = export_sum_up(export, &sums, error);
	int fd = code ? -1 : dup(fileno(export->out));

	if (!code) {
		pprof.out = fd < 0 ? NULL : gzdopen(fd, "wb");
		if (!pprof.out)
			code = error_set(error, -ENOMEM, "no memory for the profile");
	}
	if (!code) {
		put_profile(&pprof);
		if (pprof.message.failed || pprof.packed.failed)
			code = error_set(error, -ENOMEM, "no memory for the profile");
	}
	if (pprof.out && gzclose(pprof.out) != Z_OK && !code)
		code = error_set(error, -EIO, "writing the profile failed: is the disk full?");
	blob_free(&pprof.message);
	blob_free(&pprof.packed);
	intern_free(&pprof.files);
	free(sums.sums);
	return code;
}
