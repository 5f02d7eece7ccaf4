/* SPDX-License-Identifier: MIT */
/*
 * QR codes (ISO/IEC 18004:2015) of bytes: byte mode, all 40 versions, error correction levels L and
 * M. Freestanding.
 */
#ifndef LIB_SURVEY_QR_H
#define LIB_SURVEY_QR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define QR_VERSIONS  40U
#define QR_SIZE_MAX  177U  /* modules of version 40: 17 + 4 * 40 */
#define QR_BYTES_MAX 2953U /* the most bytes of version 40 at level L */
#define QR_QUIET     4U    /* modules of white around a code (6.3.8) */

enum qr_level { QR_L, QR_M }; /* 7 %, 15 % of the code may be unreadable */

struct qr {
	unsigned size; /* modules in a row, without the quiet zone */
	unsigned version;
	enum qr_level level;
	uint8_t modules[QR_SIZE_MAX][QR_SIZE_MAX]; /* [row][column]; bit 0: dark */
	uint8_t codewords[3706];                   /* scratch memory of qr_encode() */
};

/* How many bytes a version holds at a level. */
unsigned qr_capacity(unsigned version, enum qr_level level);

/* Encode length bytes in the smallest version that holds them, and at level M if that needs no
 * larger one. Returns false if they are more than QR_BYTES_MAX. Thread. */
bool qr_encode(struct qr *qr, const void *bytes, size_t length);

static inline bool qr_is_dark(const struct qr *qr, unsigned row, unsigned column)
{
	return qr->modules[row][column] & 1;
}

#endif
