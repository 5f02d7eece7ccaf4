/* SPDX-License-Identifier: MIT */
/* TAP on the serial port, for the conformance images. */
#ifndef MODEL_TAP_H
#define MODEL_TAP_H

#include <stdbool.h>
#include <stdint.h>

/* Each image has its own serial port and its own way out. */
void image_putc(char c);
_Noreturn void image_exit(bool good);

static unsigned tap_number, tap_failed;

static inline void tap_puts(const char *s)
{
	while (*s)
		image_putc(*s++);
}

static inline void tap_decimal(unsigned n)
{
	char digits[12], *p = digits + sizeof(digits);

	*--p = 0;
	do {
		*--p = '0' + n % 10;
		n /= 10;
	} while (n);
	tap_puts(p);
}

static inline void tap_hex(uint64_t v)
{
	for (int shift = 60; shift >= 0; shift -= 4)
		image_putc("0123456789abcdef"[v >> shift & 15]);
}

static inline bool tap_claim(bool good, const char *what)
{
	tap_failed += !good;
	tap_puts(good ? "ok " : "not ok ");
	tap_decimal(++tap_number);
	tap_puts(" - ");
	tap_puts(what);
	tap_puts("\n");
	return good;
}

static inline void tap_equal(uint64_t found, uint64_t wanted, const char *what)
{
	if (tap_claim(found == wanted, what))
		return;
	tap_puts("# found ");
	tap_hex(found);
	tap_puts(", wanted ");
	tap_hex(wanted);
	tap_puts("\n");
}

static inline _Noreturn void tap_end(void)
{
	tap_puts("1..");
	tap_decimal(tap_number);
	tap_puts("\n");
	image_exit(!tap_failed);
}

#endif
