/* SPDX-License-Identifier: MIT */
/*
 * A CPU's history for the page: samples of an event, or of another kind, in chunks of
 * numbers that are written as soon as they are full. Thread: the one that made it.
 *
 * A chunk is two blocks, each compressed by zlib and in base64, with a "." between. A number is
 * little-endian base 128, as LEB128's; a signed one is zigzagged before. The first block has the
 * sums of each place in the chunk, columns of as many numbers as there are places in it: their
 * count; numbers of places, each as the difference from the one before; samples; weights. The
 * second is the samples, in columns as well: times, each as the signed difference from the one
 * before, at first from the chunk's earliest; places; weights, each as the signed difference from
 * the one before, at first from 0.
 */
#ifndef HOST_TOOLS_REPORT_SERIES_H
#define HOST_TOOLS_REPORT_SERIES_H

#include <stdint.h>
#include <stdio.h>

#include "host-tools/report/intern.h"
#include "writer/util/blob.h"

#define SERIES_CHUNK 32768U /* samples of a chunk, at most */
#define SERIES_BINS  64U    /* its weight by time, in equal parts */

enum series_kind {
	SERIES_SAMPLES,
	SERIES_LOST,      /* weight: records, told of at that time; of no event */
	SERIES_THROTTLED, /* weight: ns, from that time on */
	SERIES_GAPS,      /* AUX records; place: their flags */
	SERIES_MARKS,     /* of the program; place: number of the name; weight: ns, from then on */
};

struct series_key {
	enum series_kind kind;
	uint32_t event, cpu;
};

struct series_sample {
	uint64_t time, weight;
	uint32_t place;
};

/* A chunk that was written: what the page knows before it has taken it apart. */
struct series_chunk {
	struct series_key key;
	uint32_t samples;
	uint64_t first, last; /* times, ns */
	uint64_t weight;
	uint64_t bins[SERIES_BINS];
};

struct series;

struct series_set {
	FILE *out;
	struct series *series;
	uint32_t count;
	struct intern keys; /* numbers of series */
	uint64_t held;      /* samples that are not written yet */
	struct series_chunk *chunks;
	uint32_t chunk_count;
	struct place_sum *sums; /* of the chunk being written, by place; all 0 in between */
	uint32_t sums_room;
};

/* 0, -ENOMEM or -EIO. */
int series_add(struct series_set *set, const struct series_key *key,
               const struct series_sample *sample);

/* Write what is still held. The same. */
int series_flush(struct series_set *set);

void series_free(struct series_set *set);

/* Bytes as a block. The same. */
int series_block(FILE *out, const struct blob *bytes);

/* Append a number to a block's bytes, or a signed one. */
void series_number(struct blob *blob, uint64_t number);
void series_signed(struct blob *blob, uint64_t difference);

#endif
