/* SPDX-License-Identifier: MIT */
/*
 * Formatting without printf into a big buffer: a record costs tens of nanoseconds instead of
 * hundreds.
 */
#ifndef HOST_TOOLS_UTIL_FORMAT_H
#define HOST_TOOLS_UTIL_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define FORMAT_BUFFER (256U << 10)
#define FORMAT_ROOM   1024U /* the longest line, without texts of arbitrary length */

struct format {
	char *at;
	int fd;
	int failed; /* a write error, a negative errno; later output is discarded */
	char buffer[FORMAT_BUFFER];
};

void format_init(struct format *format, int fd);

/* Write the buffered text. */
void format_flush(struct format *format);

/* Make sure that FORMAT_ROOM bytes fit. Call it once per line; the put functions below do not
 * check. */
static inline void format_line(struct format *format)
{
	if (format->at > format->buffer + FORMAT_BUFFER - FORMAT_ROOM)
		format_flush(format);
}

/* A text of any length; control characters become '?'. */
void format_text(struct format *format, const char *text, size_t size);

static inline void format_bytes(struct format *format, const char *bytes, size_t size)
{
	memcpy(format->at, bytes, size);
	format->at += size;
}

/* A string literal. */
#define format_literal(format, text) format_bytes(format, text, sizeof(text) - 1)

/* Decimal; hexadecimal with "0x"; hexadecimal with 16 digits. */
void format_decimal(struct format *format, uint64_t value);
void format_hex(struct format *format, uint64_t value);
void format_hex16(struct format *format, uint64_t value);

/* Decimal, padded with spaces to width on the left. */
void format_padded(struct format *format, uint64_t value, unsigned width);

#endif
