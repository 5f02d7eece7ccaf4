/* SPDX-License-Identifier: MIT */
/* A growing byte buffer. */
#include "writer/util/blob.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool blob_reserve(struct blob *blob, size_t size)
{
	size_t capacity = blob->capacity ? blob->capacity : 256;
	uint8_t *bytes;

	if (blob->failed || size > SIZE_MAX / 4 - blob->size) {
		blob->failed = true;
		return false;
	}
	while (capacity < blob->size + size)
		capacity *= 2;
	if (capacity == blob->capacity)
		return true;
	bytes = realloc(blob->bytes, capacity);
	if (!bytes) {
		blob->failed = true;
		return false;
	}
	blob->bytes = bytes;
	blob->capacity = capacity;
	return true;
}

void *blob_extend(struct blob *blob, size_t size)
{
	void *bytes;

	if (!blob_reserve(blob, size))
		return NULL;
	bytes = blob->bytes + blob->size;
	memset(bytes, 0, size);
	blob->size += size;
	return bytes;
}

void blob_add(struct blob *blob, const void *bytes, size_t size)
{
	void *room = blob_extend(blob, size);

	if (room && size)
		memcpy(room, bytes, size);
}

void blob_u32(struct blob *blob, uint32_t value)
{
	blob_add(blob, &value, sizeof(value));
}

void blob_u64(struct blob *blob, uint64_t value)
{
	blob_add(blob, &value, sizeof(value));
}

void blob_printf(struct blob *blob, const char *format, ...)
{
	va_list args;
	int length;

	va_start(args, format);
	length = vsnprintf(NULL, 0, format, args);
	va_end(args);
	if (length < 0 || !blob_reserve(blob, (size_t)length + 1)) {
		blob->failed = true;
		return;
	}
	va_start(args, format);
	vsnprintf((char *)blob->bytes + blob->size, (size_t)length + 1, format, args);
	va_end(args);
	blob->size += (size_t)length;
}

void blob_padded(struct blob *blob, const char *text, size_t size)
{
	char *room = blob_extend(blob, size);

	if (room)
		snprintf(room, size, "%s", text);
}

void blob_perf_string(struct blob *blob, const char *text)
{
	size_t padded = (strlen(text) + 64) / 64 * 64;

	blob_u32(blob, (uint32_t)padded);
	blob_padded(blob, text, padded);
}

void blob_free(struct blob *blob)
{
	free(blob->bytes);
	*blob = (struct blob){ 0 };
}
