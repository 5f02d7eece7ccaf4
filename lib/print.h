/* SPDX-License-Identifier: MIT */
/*
 * Formatting without libc: for consoles and panics, in any context (NMI included).
 *
 * Conversions: %c %s %d %i %u %x %p %%, with l, ll or z before the letter, a minimum width (or *),
 * and the flags 0 (pad with zeros) and - (pad on the right). %p prints 0x and 16 digits. A null %s
 * prints "(null)"; an unknown conversion is printed unchanged.
 */
#ifndef LIB_PRINT_H
#define LIB_PRINT_H

#include <stdarg.h>
#include <stddef.h>

/* Gets length bytes of text, which are not NUL-terminated. */
typedef void (*print_put_fn)(void *context, const char *text, size_t length);

/* Format the text and pass it to put. Any context that put allows. */
void print_format(print_put_fn put, void *context, const char *format, va_list arguments);

/* Format into text, cut to size (at least 1) bytes and NUL-terminated. Returns the uncut length.
 * Any context. */
size_t print_text(char *text, size_t size, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

size_t print_text_v(char *text, size_t size, const char *format, va_list arguments);

#endif
