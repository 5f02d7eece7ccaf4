/* SPDX-License-Identifier: MIT */
#ifndef WRITER_UTIL_CRC32_H
#define WRITER_UTIL_CRC32_H

#include <stddef.h>
#include <stdint.h>

/* The CRC-32 of ISO 3309, as zlib's crc32() has it: of all that went into crc (0: nothing), and
 * these bytes. Here, and not zlib's, since a machine that writes its own perf.data has no zlib. */
uint32_t crc32_add(uint32_t crc, const void *bytes, size_t size);

#endif
