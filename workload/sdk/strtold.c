/* SPDX-License-Identifier: MIT */
/*
 * Converts text to a long double of 128 bits (IEEE 754 binary128: AAPCS64, 10.1.2). newlib 3.3
 * assumes x87's 80 bits for every ISA; this replaces the function that its strtold() and scanf
 * call.
 */
#if __LDBL_MANT_DIG__ == 113
#include <reent.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* From newlib's gdtoa: a number format, and the kind of the result */
struct FPI {
	int nbits, emin, emax, rounding, sudden_underflow;
};
#define ROUND_NEAR 1

enum {
	STRTOG_ZERO = 0,
	STRTOG_NORMAL = 1,
	STRTOG_DENORMAL = 2,
	STRTOG_INFINITE = 3,
	STRTOG_NAN = 4,
	STRTOG_NAN_BITS = 5,
	STRTOG_NO_NUMBER = 6,
	STRTOG_RETMASK = 7,
	STRTOG_NEG = 8,
};

#define BIAS     16383
#define FRACTION 112 /* bits after the leading one */
#define SPECIAL  0x7fffU

int _strtodg_l(struct _reent *reent, const char *text, char **end, struct FPI *format,
               int32_t *exponent, uint32_t *bits, locale_t locale);
int _strtorx_l(struct _reent *reent, const char *text, char **end, int rounding, void *value,
               locale_t locale);

static uint64_t strtold_top(int kind, int32_t exponent, const uint32_t bits[4])
{
	uint64_t fraction = bits[2] | (uint64_t)(bits[3] & 0xffff) << 32;

	switch (kind & STRTOG_RETMASK) {
	case STRTOG_NORMAL:
		return (uint64_t)(uint32_t)(exponent + BIAS + FRACTION) << 48 | fraction;
	case STRTOG_DENORMAL:
		return fraction;
	case STRTOG_INFINITE:
		return (uint64_t)SPECIAL << 48;
	case STRTOG_NAN:
	case STRTOG_NAN_BITS:
		return (uint64_t)SPECIAL << 48 | 1ULL << 47; /* a quiet one */
	default:
		return 0;
	}
}

/* The argument rounding is ignored: newlib always passes rounding towards 0 for this ISA. */
int _strtorx_l(struct _reent *reent, const char *text, char **end, int rounding, void *value,
               locale_t locale)
{
	struct FPI format = { FRACTION + 1, 1 - BIAS - FRACTION, BIAS - FRACTION, ROUND_NEAR, 0 };
	uint32_t bits[4] = { 0 };
	int32_t exponent = 0;
	int kind = _strtodg_l(reent, text, end, &format, &exponent, bits, locale);
	bool has_bits = (kind & STRTOG_RETMASK) == STRTOG_NORMAL ||
	                (kind & STRTOG_RETMASK) == STRTOG_DENORMAL;
	uint64_t words[2] = { has_bits ? bits[0] | (uint64_t)bits[1] << 32 : 0,
		              strtold_top(kind, exponent, bits) |
		                  (kind & STRTOG_NEG ? 1ULL << 63 : 0) };

	(void)rounding;
	memcpy(value, words, sizeof(words));
	return kind;
}
#endif
