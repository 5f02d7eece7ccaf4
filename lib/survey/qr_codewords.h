/* SPDX-License-Identifier: MIT */
/* A QR code's bytes and their error correction: ISO/IEC 18004:2015, 7.4 to 7.6. */
#ifndef LIB_SURVEY_QR_CODEWORDS_H
#define LIB_SURVEY_QR_CODEWORDS_H

#include "lib/survey/qr.h"

/* The number of codewords of a version: data and error correction, of both levels. */
unsigned qr_codewords(unsigned version);

/* Put the bytes, their padding and error correction into qr->codewords, in the order in which they
 * are placed. qr->version and level are set, and the bytes fit. Thread. */
void qr_make_codewords(struct qr *qr, const uint8_t *bytes, size_t length);

#endif
