/* SPDX-License-Identifier: MIT */
#include "lib/parse/ffs_section.h"

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
