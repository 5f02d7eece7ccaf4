/* SPDX-License-Identifier: MIT */
#include "lib/parse/ffs_section.h"

#include <errno.h>
#include <string.h>

#define EXTENDED_SIZE 0xffffffU /* a size of 24 bits: the one of 32 bits behind it counts */

int ffs_section_next(const void *file, uint64_t size, uint64_t *at, struct ffs_section *section)
{
	const uint8_t *header = (const uint8_t *)file + *at;
	uint64_t left = *at < size ? size - *at : 0, own = 4;
	uint32_t whole;

	if (!left)
		return 0;
	if (left < own)
		return -EINVAL;
	whole = header[0] | (uint32_t)header[1] << 8 | (uint32_t)header[2] << 16;
	if (whole == EXTENDED_SIZE) {
		own = 8;
		if (left < own)
			return -EINVAL;
		memcpy(&whole, header + 4, sizeof(whole));
	}
	if (whole < own || whole > left)
		return -EINVAL;
	*section = (struct ffs_section){ header[3], header + own, whole - own };
	*at += ((uint64_t)whole + 3) & ~3ULL;
	return 1;
}

uint32_t ffs_ui_text(const void *text, uint64_t size, char *to, uint32_t to_size)
{
	const uint8_t *bytes = text;
	uint32_t length = 0;

	for (uint64_t i = 0; i + 1 < size && length + 1 < to_size; i += 2) {
		unsigned c = bytes[i] | (unsigned)bytes[i + 1] << 8;

		if (!c)
			break;
		to[length++] = c >= ' ' && c < 0x7f && c != '"' && c != '\'' ? (char)c : '?';
	}
	to[length] = 0;
	return length;
}

uint32_t ffs_ui_name(const void *file, uint64_t size, char *to, uint32_t to_size)
{
	struct ffs_section section;
	uint64_t at = 0;

	*to = 0;
	while (ffs_section_next(file, size, &at, &section) > 0) {
		if (section.type == FFS_SECTION_USER_INTERFACE)
			return ffs_ui_text(section.bytes, section.size, to, to_size);
	}
	return 0;
}
