/* SPDX-License-Identifier: MIT */
/*
 * A survey as short text for a QR code, and back.
 *
 *	bareperf1:FIELDS:CRC
 *
 * FIELDS are numbers in base64url digits (RFC 4648, 5), five bits a digit, the least first; 32 is
 * added to each digit but a number's last. A signed number is its double, or its negative double
 * minus one. A string is its length and then its characters, blanks as '~'. CRC is that of FIELDS,
 * a number as well (crc32.h). docs/selftest.md lists the fields. Blanks and line breaks anywhere
 * mean nothing.
 *
 * Round trips, latencies and bandwidths are stored in sixteenths of an octave, so they come back
 * within 2.2 %; all else is exact to the microsecond or better. If the text would be too long, it
 * lacks the map, or also the figures of each CPU.
 */
#ifndef LIB_SURVEY_SURVEY_PACK_H
#define LIB_SURVEY_SURVEY_PACK_H

#include <stddef.h>

#include "lib/survey/survey.h"

#define SURVEY_PACK_MARK "bareperf1:"

/* Write the text, NUL-terminated, into size bytes. Returns its length; 0: even the shortest one
 * does not fit. Thread. */
size_t survey_pack(const struct survey *s, char *text, size_t size);

/* Read length bytes of foreign text into s, which is cleared first. Returns NULL, or what is wrong
 * with the text as a phrase. Thread. */
const char *survey_unpack(struct survey *s, const char *text, size_t length);

#endif
