/* SPDX-License-Identifier: MIT */
#include "tap.h"

static unsigned number, failed;

static void put_hex(uint64_t v)
{
	for (int shift = 60; shift >= 0; shift -= 4)
		image_putc("0123456789abcdef"[v >> shift & 15]);
}

void tap_puts(const char *s)
{
	while (*s)
		image_putc(*s++);
}

static void put_decimal(unsigned n)
{
	char digits[12], *p = digits + sizeof(digits);

	*--p = 0;
	do {
		*--p = (char)('0' + n % 10);
		n /= 10;
	} while (n);
	tap_puts(p);
}

bool tap_claim(bool good, const char *what)
{
	failed += !good;
	tap_puts(good ? "ok " : "not ok ");
	put_decimal(++number);
	tap_puts(" - ");
	tap_puts(what);
	tap_puts("\n");
	return good;
}

void tap_equal(uint64_t found, uint64_t wanted, const char *what)
{
	if (tap_claim(found == wanted, what))
		return;
	tap_puts("# found ");
	put_hex(found);
	tap_puts(", wanted ");
	put_hex(wanted);
	tap_puts("\n");
}

void tap_note(const char *what, unsigned n)
{
	tap_puts("# ");
	tap_puts(what);
	tap_puts(": ");
	put_decimal(n);
	tap_puts("\n");
}

void tap_end(void)
{
	tap_puts("1..");
	put_decimal(number);
	tap_puts("\n");
	image_exit(!failed);
}
