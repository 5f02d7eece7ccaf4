/* SPDX-License-Identifier: MIT */
/* Requests and results as bytes, and requests as text. Pure; any context. */
#ifndef LIB_BENCH_BENCH_WIRE_H
#define LIB_BENCH_BENCH_WIRE_H

#include "lib/bench/bench.h"

/* Writes a request or a result to to[room]. Returns its bytes; 0: it does not fit. */
size_t bench_put_request(const struct bench_request *request, uint8_t *to, size_t room);
size_t bench_put_result(const struct bench_result *result, uint8_t *to, size_t room);

/* Reads a request; its parts point into bytes, which may be anything. Returns NULL, or what is
 * wrong with it, as a phrase. */
const char *bench_get_request(struct bench_request *request, const uint8_t *bytes, size_t size);

/* Reads a result; result->values has room for BENCH_VALUES values. The same. */
const char *bench_get_result(struct bench_result *result, const uint8_t *bytes, size_t size);

/* Base64 (RFC 4648, section 4) of bytes, with a NUL. to has room for BENCH_TEXT(size) characters.
 */
#define BENCH_TEXT(size) (((size) + 2) / 3 * 4 + 1)
void bench_to_text(char *to, const uint8_t *bytes, size_t size);

/* The bytes of a base64 text, which may be anything, in to[room]. Returns their number; -1: it is
 * no base64, or does not fit. */
long bench_from_text(uint8_t *to, size_t room, const char *text);

#endif
