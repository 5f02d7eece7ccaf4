/* SPDX-License-Identifier: MIT */
/* Formatting without printf. */
#include "host-tools/util/format.h"

#include <errno.h>
#include <unistd.h>

#include "writer/util/printable.h"

void format_init(struct format *format, int fd)
{
	format->at = format->buffer;
	format->fd = fd;
	format->failed = 0;
}

void format_flush(struct format *format)
{
	const char *from = format->buffer;

	while (!format->failed && from < format->at) {
		ssize_t done = write(format->fd, from, (size_t)(format->at - from));

		if (done < 0 && errno != EINTR)
			format->failed = -errno;
		else if (done > 0)
			from += done;
	}
	format->at = format->buffer;
}

void format_text(struct format *format, const char *text, size_t size)
{
	size_t length = strnlen(text, size);

	for (size_t i = 0, bad, count = 0; i < length; count++) {
		size_t good = printable_length(text + i, length - i, &bad);

		if (count % 64 == 63) /* each of up to 4 bytes */
			format_line(format);
		if (good)
			memcpy(format->at, text + i, good);
		else
			*format->at = '?';
		format->at += good ? good : 1;
		i += good ? good : bad;
	}
}

/* All pairs of digits, so that one division gives two digits. */
static const char pairs[] =
    "00010203040506070809101112131415161718192021222324"
    "25262728293031323334353637383940414243444546474849"
    "50515253545556575859606162636465666768697071727374"
    "75767778798081828384858687888990919293949596979899";

/* The digits of value, ending before end; returns where they start. */
static char *digits(char *end, uint64_t value)
{
	while (value >= 100) {
		end -= 2;
		memcpy(end, pairs + value % 100 * 2, 2);
		value /= 100;
	}
	if (value >= 10) {
		end -= 2;
		memcpy(end, pairs + value * 2, 2);
	} else {
		*--end = (char)('0' + value);
	}
	return end;
}

void format_decimal(struct format *format, uint64_t value)
{
	char text[40];
	char *end = text + 20;
	char *start = digits(end, value);

	memcpy(format->at, start, 20);
	format->at += end - start;
}

void format_padded(struct format *format, uint64_t value, unsigned width)
{
	char text[20];
	char *end = text + sizeof(text);
	char *start = digits(end, value);
	size_t length = (size_t)(end - start);

	for (; width > length; width--)
		*format->at++ = ' ';
	format_bytes(format, start, length);
}

/* Converts eight digits at once: each nibble is spread to a byte, then made a character. */
static uint64_t hex8(uint32_t value)
{
	uint64_t x = __builtin_bswap32(value);
	uint64_t letters;

	x = (x | x << 16) & 0x0000ffff0000ffffULL;
	x = (x | x << 8) & 0x00ff00ff00ff00ffULL;
	x = (x << 8 | x >> 4) & 0x0f0f0f0f0f0f0f0fULL;
	letters = (x + 0x0606060606060606ULL) >> 4 & 0x0101010101010101ULL;
	return x + 0x3030303030303030ULL + letters * ('a' - '0' - 10);
}

static void hex16(char *to, uint64_t value)
{
	uint64_t high = hex8((uint32_t)(value >> 32)), low = hex8((uint32_t)value);

	memcpy(to, &high, sizeof(high));
	memcpy(to + sizeof(high), &low, sizeof(low));
}

void format_hex(struct format *format, uint64_t value)
{
	char text[32];
	size_t length = value ? 16 - (size_t)__builtin_clzll(value) / 4 : 1;

	hex16(text, value);
	format_literal(format, "0x");
	/* A copy of fixed size is a few instructions; surplus bytes are overwritten. */
	memcpy(format->at, text + 16 - length, 16);
	format->at += length;
}

void format_hex16(struct format *format, uint64_t value)
{
	hex16(format->at, value);
	format->at += 16;
}
