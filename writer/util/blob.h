/* SPDX-License-Identifier: MIT */
/*
 * A growing byte buffer for building files piece by piece. An allocation that
 * fails is remembered and later calls do nothing, so that it is checked once.
 */
#ifndef WRITER_UTIL_BLOB_H
#define WRITER_UTIL_BLOB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct blob {
	uint8_t *bytes;
	size_t size;
	size_t capacity;
	bool failed; /* an allocation failed; contents are incomplete */
};

/* Bytes anywhere in memory, only for reading. */
struct blob_piece {
	const void *bytes;
	size_t size;
};

/* Make room for size more bytes, zeroed, and return them; NULL if memory ran out. */
void *blob_extend(struct blob *blob, size_t size);

void blob_add(struct blob *blob, const void *bytes, size_t size);
void blob_u32(struct blob *blob, uint32_t value);
void blob_u64(struct blob *blob, uint64_t value);

/* Text with printf's format, without the NUL. */
void blob_printf(struct blob *blob, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Text with NULs behind it, size bytes in all; text is cut to fit with at least one NUL. */
void blob_padded(struct blob *blob, const char *text, size_t size);

/* perf.data's string: u32 length, then the text and NULs up to a multiple of 64. */
void blob_perf_string(struct blob *blob, const char *text);

void blob_free(struct blob *blob);

#endif
