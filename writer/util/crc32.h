/* SPDX-License-Identifier: MIT */
#ifndef WRITER_UTIL_CRC32_H
#define WRITER_UTIL_CRC32_H

#include <stddef.h>
#include <stdint.h>

/* The CRC-32 of ISO 3309, equal to zlib's crc32(), over everything that went into crc (0: nothing)
 * and these bytes. It is implemented here because a machine that writes its own perf.data has no
 * zlib. */
uint32_t crc32_add(uint32_t crc, const void *bytes, size_t size);

#endif
