/* SPDX-License-Identifier: MIT */
#include "lib/cpio.h"

#include <errno.h>
#include <string.h>

#define MAGIC  "07070" /* and 1, or 2 with checksums */
#define HEADER 110U

/* Which of the numbers */
enum { FIELD_MODE = 1, FIELD_MTIME = 5, FIELD_SIZE = 6, FIELD_NAME_SIZE = 11 };

bool cpio_is_archive(const void *archive, uint64_t size)
{
	const char *magic = archive;

	return size >= HEADER && !memcmp(magic, MAGIC, 5) && (magic[5] == '1' || magic[5] == '2');
}

static bool cpio_number(const char *header, unsigned field, uint32_t *value)
{
	const char *digits = header + 6 + 8U * field;

	*value = 0;
	for (unsigned i = 0; i < 8; i++) {
		char c = digits[i];
		int digit = c >= '0' && c <= '9'   ? c - '0'
		            : c >= 'a' && c <= 'f' ? c - 'a' + 10
		            : c >= 'A' && c <= 'F' ? c - 'A' + 10
		                                   : -1;

		if (digit < 0)
			return false;
		*value = *value << 4 | (uint32_t)digit;
	}
	return true;
}

static uint64_t cpio_padded(uint64_t at)
{
	return (at + 3) & ~3ULL;
}

int cpio_next(const void *archive, uint64_t size, uint64_t *at, struct cpio_entry *entry)
{
	const char *header = (const char *)archive + *at;
	uint64_t left = *at < size ? size - *at : 0, file;
	uint32_t name_size, file_size;

	if (!cpio_is_archive(header, left) || !cpio_number(header, FIELD_MODE, &entry->mode) ||
	    !cpio_number(header, FIELD_MTIME, &entry->mtime) ||
	    !cpio_number(header, FIELD_SIZE, &file_size) ||
	    !cpio_number(header, FIELD_NAME_SIZE, &name_size))
		return -EINVAL;
	file = cpio_padded((uint64_t)HEADER + name_size);
	if (!name_size || file > left || file_size > left - file || header[HEADER + name_size - 1])
		return -EINVAL;
	entry->name = header + HEADER;
	entry->bytes = (const uint8_t *)header + file;
	entry->size = file_size;
	*at += cpio_padded(file + file_size);
	return strcmp(entry->name, "TRAILER!!!") != 0;
}
