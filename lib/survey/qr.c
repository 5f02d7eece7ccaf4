/* SPDX-License-Identifier: MIT */
/* A QR code's modules: ISO/IEC 18004:2015, 6.3, 7.7 to 7.10. */
#include "lib/survey/qr.h"

#include <string.h>

#include "lib/survey/qr_codewords.h"

#define DARK     1U
#define RESERVED 2U /* module of a pattern: neither data nor mask */
#define MASKS    8U

static void qr_set(struct qr *qr, unsigned row, unsigned column, bool dark)
{
	qr->modules[row][column] = RESERVED | (dark ? DARK : 0);
}

/* ---- Patterns ---- */

/* The finder whose centre this is, with the white line around it, as far as it lies in the code. */
static void qr_draw_finder(struct qr *qr, int row, int column)
{
	for (int y = -4; y <= 4; y++) {
		for (int x = -4; x <= 4; x++) {
			int far = (y < 0 ? -y : y) > (x < 0 ? -x : x) ? y : x;
			int in_row = row + y, in_column = column + x;

			if (in_row < 0 || in_column < 0 || in_row >= (int)qr->size ||
			    in_column >= (int)qr->size)
				continue;
			far = far < 0 ? -far : far;
			qr_set(qr, (unsigned)in_row, (unsigned)in_column, far != 2 && far != 4);
		}
	}
}

static void qr_draw_alignment(struct qr *qr, unsigned row, unsigned column)
{
	for (unsigned y = 0; y < 5; y++)
		for (unsigned x = 0; x < 5; x++)
			qr_set(qr, row + y - 2, column + x - 2,
			       y % 4 == 0 || x % 4 == 0 || (y == 2 && x == 2));
}

/* The centres' coordinates: 6, and from the last one back in equal even steps (annex E). Returns
 * their number. */
static unsigned qr_alignments(unsigned version, unsigned at[7])
{
	unsigned count = version > 1 ? version / 7 + 2 : 0;
	unsigned step = count ? (version * 8 + count * 3 + 5) / (count * 4 - 4) * 2 : 0;

	for (unsigned i = count; i-- > 1;)
		at[i] = version * 4 + 10 - (count - 1 - i) * step;
	if (count)
		at[0] = 6;
	return count;
}

static void qr_draw_alignments(struct qr *qr)
{
	unsigned at[7], count = qr_alignments(qr->version, at);

	for (unsigned i = 0; i < count; i++) {
		for (unsigned j = 0; j < count; j++) {
			bool at_finder = (i == 0 && j == 0) || (i == 0 && j == count - 1) ||
			                 (i == count - 1 && j == 0);

			if (!at_finder)
				qr_draw_alignment(qr, at[i], at[j]);
		}
	}
}

/* The remainder of value's polynomial, followed by `bits` zeros. */
static unsigned qr_bch(unsigned value, unsigned bits, unsigned generator)
{
	unsigned remainder = value << bits;

	for (unsigned bit = 32 - (unsigned)__builtin_clz(remainder | 1); bit-- > bits;)
		if (remainder >> bit & 1)
			remainder ^= generator << (bit - bits);
	return value << bits | remainder;
}

/* 7.10: two copies, bit 0 at (row 5, column 0) of each. */
static void qr_draw_version(struct qr *qr)
{
	unsigned bits = qr_bch(qr->version, 12, 0x1f25);

	if (qr->version < 7)
		return;
	for (unsigned i = 0; i < 18; i++) {
		unsigned far = qr->size - 11 + i % 3;

		qr_set(qr, far, i / 3, bits >> i & 1);
		qr_set(qr, i / 3, far, bits >> i & 1);
	}
}

/* 7.9: level and mask, twice, and the module that is always dark. */
static void qr_draw_format(struct qr *qr, unsigned mask)
{
	unsigned level = qr->level == QR_L ? 1 : 0, last = qr->size - 1;
	unsigned bits = qr_bch(level << 3 | mask, 10, 0x537) ^ 0x5412;

	for (unsigned i = 0; i < 15; i++) {
		bool dark = bits >> i & 1;
		unsigned near = i < 6 ? i : i < 8 ? i + 1 : 14 - i + (i < 9);

		if (i < 8)
			qr_set(qr, near, 8, dark);
		else
			qr_set(qr, 8, near, dark);
		if (i < 8)
			qr_set(qr, 8, last - i, dark);
		else
			qr_set(qr, last - 14 + i, 8, dark);
	}
	qr_set(qr, last - 7, 8, true);
}

static void qr_draw_patterns(struct qr *qr)
{
	int last = (int)qr->size - 4;

	for (unsigned i = 0; i < qr->size; i++) {
		qr_set(qr, 6, i, i % 2 == 0);
		qr_set(qr, i, 6, i % 2 == 0);
	}
	qr_draw_finder(qr, 3, 3);
	qr_draw_finder(qr, 3, last);
	qr_draw_finder(qr, last, 3);
	qr_draw_alignments(qr);
	qr_draw_version(qr);
	qr_draw_format(qr, 0);
}

/* ---- Data: 7.7.3 ---- */

/* Columns in pairs from right to left, up and down in turn, without column 6. */
static void qr_draw_codewords(struct qr *qr)
{
	unsigned at = 0, bits = qr_codewords(qr->version) * 8;
	bool up = true;

	for (unsigned right = qr->size - 1; right < qr->size; right -= 2, up = !up) {
		if (right == 6)
			right = 5;
		for (unsigned i = 0; i < 2 * qr->size; i++) {
			unsigned row = up ? qr->size - 1 - i / 2 : i / 2, column = right - i % 2;

			if (qr->modules[row][column] & RESERVED)
				continue;
			qr->modules[row][column] =
			    at < bits ? qr->codewords[at / 8] >> (7 - at % 8) & 1 : 0;
			at++;
		}
	}
}

/* ---- Masks: 7.8 ---- */

static bool qr_mask_bit(unsigned mask, unsigned i, unsigned j)
{
	switch (mask) {
	case 0:
		return (i + j) % 2 == 0;
	case 1:
		return i % 2 == 0;
	case 2:
		return j % 3 == 0;
	case 3:
		return (i + j) % 3 == 0;
	case 4:
		return (i / 2 + j / 3) % 2 == 0;
	case 5:
		return i * j % 2 + i * j % 3 == 0;
	case 6:
		return (i * j % 2 + i * j % 3) % 2 == 0;
	default:
		return ((i + j) % 2 + i * j % 3) % 2 == 0;
	}
}

/* XOR the mask; applying it twice removes it. */
static void qr_apply(struct qr *qr, unsigned mask)
{
	for (unsigned row = 0; row < qr->size; row++)
		for (unsigned column = 0; column < qr->size; column++)
			if (!(qr->modules[row][column] & RESERVED))
				qr->modules[row][column] ^= qr_mask_bit(mask, row, column);
	qr_draw_format(qr, mask);
}

static bool qr_at(const struct qr *qr, bool is_column, unsigned line, unsigned i)
{
	return is_column ? qr_is_dark(qr, i, line) : qr_is_dark(qr, line, i);
}

/* Runs of five and more, and the finders' ratio 1:1:3:1:1 beside four white modules. */
static unsigned qr_line_penalty(const struct qr *qr, bool is_column, unsigned line)
{
	unsigned penalty = 0, run = 0, last = 0;

	for (unsigned i = 0; i < qr->size; i++) {
		bool same = i && qr_at(qr, is_column, line, i) == qr_at(qr, is_column, line, i - 1);

		run = same ? run + 1 : 1;
		penalty += run == 5 ? 3 : run > 5;
		last = (last << 1 | qr_at(qr, is_column, line, i)) & 0x7ff;
		if (i >= 10 && (last == 0x05d || last == 0x5d0))
			penalty += 40;
	}
	return penalty;
}

static unsigned qr_penalty(const struct qr *qr)
{
	unsigned penalty = 0, dark = 0, modules = qr->size * qr->size, tenths;

	for (unsigned row = 0; row < qr->size; row++) {
		penalty += qr_line_penalty(qr, false, row) + qr_line_penalty(qr, true, row);
		for (unsigned column = 0; column < qr->size; column++) {
			bool here = qr_is_dark(qr, row, column);

			dark += here;
			if (row && column && qr_is_dark(qr, row - 1, column) == here &&
			    qr_is_dark(qr, row, column - 1) == here &&
			    qr_is_dark(qr, row - 1, column - 1) == here)
				penalty += 3;
		}
	}
	tenths = (dark * 2 > modules ? dark * 2 - modules : modules - dark * 2) * 10 / modules;
	return penalty + tenths * 10;
}

static void qr_mask(struct qr *qr)
{
	unsigned best = 0, least = UINT32_MAX;

	for (unsigned mask = 0; mask < MASKS; mask++) {
		unsigned penalty;

		qr_apply(qr, mask);
		penalty = qr_penalty(qr);
		if (penalty < least) {
			least = penalty;
			best = mask;
		}
		qr_apply(qr, mask);
	}
	qr_apply(qr, best);
}

bool qr_encode(struct qr *qr, const void *bytes, size_t length)
{
	unsigned version = 1;

	while (version <= QR_VERSIONS && qr_capacity(version, QR_L) < length)
		version++;
	if (version > QR_VERSIONS)
		return false;
	qr->version = version;
	qr->size = 17 + 4 * version;
	qr->level = qr_capacity(version, QR_M) >= length ? QR_M : QR_L;
	memset(qr->modules, 0, sizeof(qr->modules));
	qr_make_codewords(qr, bytes, length);
	qr_draw_patterns(qr);
	qr_draw_codewords(qr);
	qr_mask(qr);
	return true;
}
