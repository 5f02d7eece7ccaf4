/* SPDX-License-Identifier: MIT */
#include "writer/util/crc32.h"

#define POLYNOMIAL 0xedb88320U /* ISO 3309's polynomial with its bits mirrored */

uint32_t crc32_add(uint32_t crc, const void *bytes, size_t size)
{
	const uint8_t *byte = bytes;

	crc = ~crc;
	for (size_t i = 0; i < size; i++) {
		crc ^= byte[i];
		for (int bit = 0; bit < 8; bit++)
			crc = crc >> 1 ^ (crc & 1 ? POLYNOMIAL : 0);
	}
	return ~crc;
}
