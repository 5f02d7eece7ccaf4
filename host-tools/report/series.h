/* SPDX-License-Identifier: MIT */
/*
 * Time series for the HTML page: one series for each CPU and each event or other kind of data. A
 * series is split into chunks; a chunk is written as soon as it is full. Thread: the thread that
 * created the set.
 *
 * A chunk is two blocks with a "." between them. A block is a list of numbers, compressed by zlib
 * and encoded in base64. A number is encoded as unsigned LEB128; a signed number is first
 * zigzag-encoded. The first block has the sum of each place: the number of places, then three
 * columns of that many numbers: the places' numbers (each as the difference from the one before),
 * samples, weights. The second block has the samples as three columns: times (each as the signed
 * difference from the one before; the first from the chunk's earliest time), places, weights (each
 * as the signed difference from the one before; the first from 0).
 */
#ifndef HOST_TOOLS_REPORT_SERIES_H
#define HOST_TOOLS_REPORT_SERIES_H

#include <stdint.h>
#include <stdio.h>

#include "host-tools/report/intern.h"
#include "writer/util/blob.h"

#define SERIES_CHUNK 32768U /* most samples of a chunk */
#define SERIES_BINS  64U    /* equal parts of a chunk's time; each has a weight */

enum series_kind {
	SERIES_SAMPLES,
	SERIES_LOST,      /* weight: lost records; time: of the report; no event */
	SERIES_THROTTLED, /* weight: duration in ns; time: start */
	SERIES_GAPS,      /* AUX records with gap flags; place: their flags */
	SERIES_MARKS,     /* place: number of the mark's name; weight: ns */
};

struct series_key {
	enum series_kind kind;
	uint32_t event, cpu;
};

struct series_sample {
	uint64_t time, weight;
	uint32_t place;
};

/* The summary of a written chunk. The page reads the summary before it decodes the chunk. */
struct series_chunk {
	struct series_key key;
	uint32_t samples;
	uint64_t first, last; /* times in ns */
	uint64_t weight;
	uint64_t bins[SERIES_BINS];
};

struct series;

struct series_set {
	FILE *out;
	struct series *series;
	uint32_t count;
	struct intern keys; /* series' numbers */
	uint64_t held;      /* samples in memory, not written yet */
	struct series_chunk *chunks;
	uint32_t chunk_count;
	struct place_sum *sums; /* sums of the current chunk, by place; else all 0 */
	uint32_t sums_room;
};

/* Add a sample to the series of key. 0, -ENOMEM or -EIO. */
int series_add(struct series_set *set, const struct series_key *key,
               const struct series_sample *sample);

/* Write the samples that are still in memory. 0, -ENOMEM or -EIO. */
int series_flush(struct series_set *set);

void series_free(struct series_set *set);

/* Write bytes as a block. 0, -ENOMEM or -EIO. */
int series_block(FILE *out, const struct blob *bytes);

/* Append an unsigned number, or a signed number, to a block's bytes. */
void series_number(struct blob *blob, uint64_t number);
void series_signed(struct blob *blob, uint64_t difference);

#endif
