/* SPDX-License-Identifier: MIT */
/* Replaces functions of newlib 3.3 that are wrong if a long has 64 bits: each assumes 32 bits, or
 * shifts by the width of an int (docs/payloads.md). */
#include <math.h>
#include <reent.h>
#include <stdint.h>
#include <stdlib.h>

#define RADIX_DIGITS 6 /* base64 digits of 32 bits: the last one has two bits */

long a64l(const char *text);

/* newlib's step of the 48-bit generator; the seed's lowest 16 bits are first. */
void __dorand48(struct _reent *reent, unsigned short seed[3]);

/* Results begin at -2^31; newlib's are from 0 to 2^32. */
long _jrand48_r(struct _reent *reent, unsigned short seed[3])
{
	__dorand48(reent, seed);
	return (int32_t)((uint32_t)seed[2] << 16 | seed[1]);
}

long jrand48(unsigned short seed[3])
{
	return _jrand48_r(_REENT, seed);
}

long _mrand48_r(struct _reent *reent)
{
	return _jrand48_r(reent, _REENT_RAND48_SEED(reent));
}

long mrand48(void)
{
	return _mrand48_r(_REENT);
}

static int widths_digit(char digit)
{
	if (digit >= '.' && digit <= '9')
		return digit - '.';
	if (digit >= 'A' && digit <= 'Z')
		return digit - 'A' + 12;
	return digit >= 'a' && digit <= 'z' ? digit - 'a' + 38 : -1;
}

/* 32 bits, sign-extended; newlib's also uses the sixth digit's other four bits. */
long a64l(const char *text)
{
	uint32_t value = 0;

	for (unsigned i = 0; i < RADIX_DIGITS && widths_digit(text[i]) >= 0; i++)
		value |= (uint32_t)widths_digit(text[i]) << 6 * i;
	return (int32_t)value;
}

/* newlib's lose the low bits of numbers above 2^51. */
long lround(double number)
{
	return (long)round(number);
}

long long llround(double number)
{
	return (long long)round(number);
}
