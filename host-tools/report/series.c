/* SPDX-License-Identifier: MIT */
#include "host-tools/report/series.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <zlib.h>

#include "host-tools/util/array.h"

#define MOST_HELD (64U * SERIES_CHUNK) /* the most samples of all series together, 100 MB */

struct series {
	struct series_key key;
	struct series_sample *samples;
	uint32_t count, room;
};

struct place_sum {
	uint64_t weight;
	uint32_t samples;
};

/* ---- Blocks ---- */

void series_number(struct blob *blob, uint64_t number)
{
	uint8_t bytes[10];
	size_t length = 0;

	for (; number >= 128; number >>= 7)
		bytes[length++] = (uint8_t)(number | 128);
	bytes[length++] = (uint8_t)number;
	blob_add(blob, bytes, length);
}

void series_signed(struct blob *blob, uint64_t difference)
{
	series_number(blob, difference << 1 ^ -(difference >> 63));
}

static void put_base64(FILE *out, const uint8_t *bytes, size_t size)
{
	static const char digits[] =
	    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	char text[4096];
	size_t length = 0;

	for (size_t i = 0; i < size; i += 3) {
		size_t rest = size - i;
		uint32_t word = (uint32_t)bytes[i] << 16 |
		                (rest > 1 ? (uint32_t)bytes[i + 1] << 8 : 0) |
		                (rest > 2 ? bytes[i + 2] : 0U);

		text[length++] = digits[word >> 18];
		text[length++] = digits[word >> 12 & 63];
		text[length++] = rest > 1 ? digits[word >> 6 & 63] : '=';
		text[length++] = rest > 2 ? digits[word & 63] : '=';
		if (length == sizeof(text) || rest <= 3) {
			fwrite(text, 1, length, out);
			length = 0;
		}
	}
}

int series_block(FILE *out, const struct blob *bytes)
{
	uLongf size = compressBound(bytes->size);
	uint8_t *packed = bytes->failed ? NULL : malloc(size);
	int code = -ENOMEM;

	if (packed &&
	    compress2(packed, &size, bytes->bytes, bytes->size, Z_DEFAULT_COMPRESSION) == Z_OK) {
		put_base64(out, packed, size);
		code = ferror(out) ? -EIO : 0;
	}
	free(packed);
	return code;
}

/* ---- A chunk ---- */

static int compare_places(const void *one, const void *other)
{
	uint32_t a = *(const uint32_t *)one, b = *(const uint32_t *)other;

	return (a > b) - (a < b);
}

/* Sum up the samples by place. places gets the places that have a sample, ascending. Returns their
 * number. */
static uint32_t sum_up(struct series_set *set, const struct series *series, uint32_t *places)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < series->count; i++) {
		struct place_sum *sum = &set->sums[series->samples[i].place];

		if (!sum->samples++)
			places[count++] = series->samples[i].place;
		sum->weight += series->samples[i].weight;
	}
	qsort(places, count, sizeof(*places), compare_places);
	return count;
}

static int put_sums(struct series_set *set, const struct series *series)
{
	uint32_t *places = malloc(series->count * sizeof(*places)), most = 0, count;
	struct blob blob = { 0 };
	int code;

	for (uint32_t i = 0; i < series->count; i++)
		most = series->samples[i].place > most ? series->samples[i].place : most;
	if (!places || !ARRAY_REACH(set->sums, set->sums_room, most)) {
		free(places);
		return -ENOMEM;
	}
	count = sum_up(set, series, places);
	series_number(&blob, count);
	for (uint32_t i = 0; i < count; i++)
		series_number(&blob, i ? places[i] - places[i - 1] : places[i]);
	for (uint32_t i = 0; i < count; i++)
		series_number(&blob, set->sums[places[i]].samples);
	for (uint32_t i = 0; i < count; i++) {
		series_number(&blob, set->sums[places[i]].weight);
		set->sums[places[i]] = (struct place_sum){ 0 };
	}
	free(places);
	code = series_block(set->out, &blob);
	blob_free(&blob);
	return code;
}

static int put_samples(FILE *out, const struct series *series, uint64_t time)
{
	const struct series_sample *samples = series->samples;
	struct blob blob = { 0 };
	uint64_t weight = 0;
	int code;

	for (uint32_t i = 0; i < series->count; time = samples[i++].time)
		series_signed(&blob, samples[i].time - time);
	for (uint32_t i = 0; i < series->count; i++)
		series_number(&blob, samples[i].place);
	for (uint32_t i = 0; i < series->count; weight = samples[i++].weight)
		series_signed(&blob, samples[i].weight - weight);
	code = series_block(out, &blob);
	blob_free(&blob);
	return code;
}

static void describe(struct series_chunk *chunk, const struct series *series)
{
	uint64_t span;

	*chunk = (struct series_chunk){ .key = series->key,
		                        .samples = series->count,
		                        .first = UINT64_MAX };
	for (uint32_t i = 0; i < series->count; i++) {
		uint64_t time = series->samples[i].time;

		chunk->first = time < chunk->first ? time : chunk->first;
		chunk->last = time > chunk->last ? time : chunk->last;
		chunk->weight += series->samples[i].weight;
	}
	span = (chunk->last - chunk->first) / SERIES_BINS + 1;
	for (uint32_t i = 0; i < series->count; i++)
		chunk->bins[(series->samples[i].time - chunk->first) / span] +=
		    series->samples[i].weight;
}

static int write_chunk(struct series_set *set, struct series *series)
{
	struct series_chunk *chunk;
	int code;

	if (!ARRAY_ROOM(set->chunks, set->chunk_count))
		return -ENOMEM;
	chunk = &set->chunks[set->chunk_count++];
	describe(chunk, series);
	fputs("<script type=\"application/octet-stream\">", set->out);
	code = put_sums(set, series);
	fputc('.', set->out);
	if (!code)
		code = put_samples(set->out, series, chunk->first);
	fputs("</script>\n", set->out);
	set->held -= series->count;
	series->count = 0;
	return code;
}

/* ---- All series ---- */

static struct series *find_series(struct series_set *set, const struct series_key *key)
{
	uint32_t number = intern(&set->keys, (uint64_t)key->kind << 32 | key->event, key->cpu);

	if (number < set->count)
		return &set->series[number];
	if (number == INTERN_NONE || !ARRAY_ROOM(set->series, set->count))
		return NULL;
	set->series[set->count] = (struct series){ .key = *key };
	return &set->series[set->count++];
}

int series_add(struct series_set *set, const struct series_key *key,
               const struct series_sample *sample)
{
	struct series *series = find_series(set, key);

	if (!series || !ARRAY_REACH(series->samples, series->room, series->count))
		return -ENOMEM;
	series->samples[series->count++] = *sample;
	set->held++;
	if (set->held == MOST_HELD)
		return series_flush(set);
	return series->count == SERIES_CHUNK ? write_chunk(set, series) : 0;
}

int series_flush(struct series_set *set)
{
	int code = 0;

	for (uint32_t i = 0; !code && i < set->count; i++) {
		if (set->series[i].count)
			code = write_chunk(set, &set->series[i]);
	}
	return code;
}

void series_free(struct series_set *set)
{
	for (uint32_t i = 0; i < set->count; i++)
		free(set->series[i].samples);
	free(set->series);
	intern_free(&set->keys);
	free(set->chunks);
	free(set->sums);
	*set = (struct series_set){ 0 };
}
