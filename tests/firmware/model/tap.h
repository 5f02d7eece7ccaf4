/* SPDX-License-Identifier: MIT */
/* TAP on the serial port, for the conformance images. */
#ifndef MODEL_TAP_H
#define MODEL_TAP_H

#include <stdbool.h>
#include <stdint.h>

/* Each image has its own serial port and its own way to end. */
void image_putc(char c);
_Noreturn void image_exit(bool good);

void tap_puts(const char *s);

/* Print "# NOTE: n", for a caller that knows the machine and checks the number */
void tap_note(const char *what, unsigned n);

/* Report one claim; tap_claim() returns good. */
bool tap_claim(bool good, const char *what);
void tap_equal(uint64_t found, uint64_t wanted, const char *what);

_Noreturn void tap_end(void);

#endif
