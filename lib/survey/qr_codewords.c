/* SPDX-License-Identifier: MIT */
#include "lib/survey/qr_codewords.h"

#include <string.h>

#define BYTE_MODE 4U /* 7.4.1, table 2 */
#define ECC_MAX   30U

/* Table 9: error correction codewords of a block, and blocks, of each version and level. */
static const struct {
	uint8_t codewords[2], blocks[2];
} corrections[QR_VERSIONS + 1] = {
	{ { 0, 0 }, { 0, 0 } },     { { 7, 10 }, { 1, 1 } },    { { 10, 16 }, { 1, 1 } },
	{ { 15, 26 }, { 1, 1 } },   { { 20, 18 }, { 1, 2 } },   { { 26, 24 }, { 1, 2 } },
	{ { 18, 16 }, { 2, 4 } },   { { 20, 18 }, { 2, 4 } },   { { 24, 22 }, { 2, 4 } },
	{ { 30, 22 }, { 2, 5 } },   { { 18, 26 }, { 4, 5 } },   { { 20, 30 }, { 4, 5 } },
	{ { 24, 22 }, { 4, 8 } },   { { 26, 22 }, { 4, 9 } },   { { 30, 24 }, { 4, 9 } },
	{ { 22, 24 }, { 6, 10 } },  { { 24, 28 }, { 6, 10 } },  { { 28, 28 }, { 6, 11 } },
	{ { 30, 26 }, { 6, 13 } },  { { 28, 26 }, { 7, 14 } },  { { 28, 26 }, { 8, 16 } },
	{ { 28, 26 }, { 8, 17 } },  { { 28, 28 }, { 9, 17 } },  { { 30, 28 }, { 9, 18 } },
	{ { 30, 28 }, { 10, 20 } }, { { 26, 28 }, { 12, 21 } }, { { 28, 28 }, { 12, 23 } },
	{ { 30, 28 }, { 12, 25 } }, { { 30, 28 }, { 13, 26 } }, { { 30, 28 }, { 14, 28 } },
	{ { 30, 28 }, { 15, 29 } }, { { 30, 28 }, { 16, 31 } }, { { 30, 28 }, { 17, 33 } },
	{ { 30, 28 }, { 18, 35 } }, { { 30, 28 }, { 19, 37 } }, { { 30, 28 }, { 19, 38 } },
	{ { 30, 28 }, { 20, 40 } }, { { 30, 28 }, { 21, 43 } }, { { 30, 28 }, { 22, 45 } },
	{ { 30, 28 }, { 24, 47 } }, { { 30, 28 }, { 25, 49 } },
};

/* All modules without those of finder, timing and alignment patterns, format and version (7.1). */
unsigned qr_codewords(unsigned version)
{
	unsigned size = 17 + 4 * version, aligned = version > 1 ? version / 7 + 2 : 0;
	unsigned modules = size * size - 3 * 64 - 2 * (size - 16) - 31;

	/* Alignment patterns: of 5 x 5 modules, but not in the finders' corners; 2 (n - 2) of them
	 * share 5 modules with the timing patterns. */
	if (aligned)
		modules -= (aligned * aligned - 3) * 25 - 2 * (aligned - 2) * 5;
	if (version >= 7)
		modules -= 2 * 18;
	return modules / 8;
}

static unsigned qr_data_codewords(unsigned version, enum qr_level level)
{
	return qr_codewords(version) -
	       (unsigned)corrections[version].codewords[level] * corrections[version].blocks[level];
}

static unsigned qr_length_bits(unsigned version)
{
	return version < 10 ? 8 : 16; /* table 3 */
}

unsigned qr_capacity(unsigned version, enum qr_level level)
{
	return (qr_data_codewords(version, level) * 8 - 4 - qr_length_bits(version)) / 8;
}

/* ---- Data ---- */

static void qr_put_bits(uint8_t *to, unsigned *at, unsigned value, unsigned bits)
{
	while (bits--)
		to[*at / 8] |= (uint8_t)((value >> bits & 1) << (7 - *at % 8)), ++*at;
}

/* Mode, length, bytes, terminator, padding: 7.4.2 to 7.4.10. */
static void qr_put_data(const struct qr *qr, const uint8_t *bytes, size_t length, uint8_t *data)
{
	unsigned at = 0, count = qr_data_codewords(qr->version, qr->level);

	memset(data, 0, count);
	qr_put_bits(data, &at, BYTE_MODE, 4);
	qr_put_bits(data, &at, (unsigned)length, qr_length_bits(qr->version));
	for (size_t i = 0; i < length; i++)
		qr_put_bits(data, &at, bytes[i], 8);
	for (unsigned i = (at + 4 + 7) / 8, pad = 0xec; i < count; i++, pad ^= 0xec ^ 0x11)
		data[i] = (uint8_t)pad;
}

/* ---- Error correction: 7.5 and annex A ---- */

/* A product in GF(2^8) modulo x^8 + x^4 + x^3 + x^2 + 1. */
static uint8_t qr_multiply(uint8_t a, uint8_t b)
{
	unsigned product = 0;

	for (unsigned bit = 8; bit-- > 0;) {
		product = product << 1 ^ (product >> 7) * 0x11d;
		if (b >> bit & 1)
			product ^= a;
	}
	return (uint8_t)product;
}

/* The coefficients of (x - 1)(x - 2)(x - 4)..., without the leading 1. */
static void qr_generator(uint8_t generator[ECC_MAX], unsigned degree)
{
	uint8_t root = 1;

	memset(generator, 0, ECC_MAX);
	generator[degree - 1] = 1;
	for (unsigned i = 0; i < degree; i++, root = qr_multiply(root, 2))
		for (unsigned j = 0; j < degree; j++)
			generator[j] = (uint8_t)(qr_multiply(generator[j], root) ^
			                         (j + 1 < degree ? generator[j + 1] : 0));
}

/* The remainder of the data's polynomial divided by the generator. */
static void qr_remainder(const uint8_t *data, unsigned count, const uint8_t *generator,
                         unsigned degree, uint8_t *remainder)
{
	memset(remainder, 0, degree);
	for (unsigned i = 0; i < count; i++) {
		uint8_t factor = data[i] ^ remainder[0];

		memmove(remainder, remainder + 1, degree - 1);
		remainder[degree - 1] = 0;
		for (unsigned j = 0; j < degree; j++)
			remainder[j] ^= qr_multiply(generator[j], factor);
	}
}

/* ---- Blocks: 7.6 ---- */

/* The first blocks have one data codeword less than the others. The code has all blocks' first
 * codewords, then all second ones, and so on; then the same of the error correction. */
void qr_make_codewords(struct qr *qr, const uint8_t *bytes, size_t length)
{
	static uint8_t data[QR_BYTES_MAX + 3];
	unsigned blocks = corrections[qr->version].blocks[qr->level];
	unsigned degree = corrections[qr->version].codewords[qr->level];
	unsigned count = qr_data_codewords(qr->version, qr->level);
	unsigned size = count / blocks, small = blocks - count % blocks;
	uint8_t generator[ECC_MAX], remainder[ECC_MAX];
	const uint8_t *from = data;

	qr_put_data(qr, bytes, length, data);
	qr_generator(generator, degree);
	for (unsigned block = 0; block < blocks; block++) {
		unsigned here = size + (block >= small);

		for (unsigned i = 0; i < here; i++)
			qr->codewords[i < size ? i * blocks + block
			                       : size * blocks + block - small] = from[i];
		qr_remainder(from, here, generator, degree, remainder);
		for (unsigned i = 0; i < degree; i++)
			qr->codewords[count + i * blocks + block] = remainder[i];
		from += here;
	}
}
