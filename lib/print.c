/* SPDX-License-Identifier: MIT */
#include "lib/print.h"

#include <stdbool.h>
#include <stdint.h>

struct conversion {
	bool zero, left;
	bool star; /* the width is an argument */
	unsigned width;
	unsigned longs; /* l and z count 1, ll counts 2 */
	char letter;
};

struct output {
	print_put_fn put;
	void *context;
};

static void print_put_repeated(const struct output *out, char c, size_t count)
{
	while (count-- > 0)
		out->put(out->context, &c, 1);
}

static void print_put_padded(const struct output *out, const struct conversion *how,
                             const char *text, size_t length)
{
	size_t padding = how->width > length ? how->width - length : 0;

	if (!how->left)
		print_put_repeated(out, ' ', padding);
	out->put(out->context, text, length);
	if (how->left)
		print_put_repeated(out, ' ', padding);
}

static void print_put_number(const struct output *out, const struct conversion *how, uint64_t value,
                             unsigned base, const char *prefix)
{
	char digits[24];
	char *end = digits + sizeof(digits);
	char *at = end;
	size_t length, prefixed = 0;
	struct conversion padding = *how;

	do {
		*--at = "0123456789abcdef"[value % base];
		value /= base;
	} while (value != 0);
	length = (size_t)(end - at);
	while (prefix[prefixed] != 0)
		prefixed++;
	if (!how->zero || how->left) {
		for (size_t i = prefixed; i > 0; i--)
			*--at = prefix[i - 1];
		print_put_padded(out, &padding, at, (size_t)(end - at));
		return;
	}
	out->put(out->context, prefix, prefixed);
	if (how->width > prefixed + length)
		print_put_repeated(out, '0', how->width - prefixed - length);
	out->put(out->context, at, length);
}

static void print_put_signed(const struct output *out, const struct conversion *how, int64_t value)
{
	if (value < 0)
		print_put_number(out, how, -(uint64_t)value, 10, "-");
	else
		print_put_number(out, how, (uint64_t)value, 10, "");
}

static void print_put_string(const struct output *out, const struct conversion *how,
                             const char *text)
{
	size_t length = 0;

	if (!text)
		text = "(null)";
	while (text[length] != 0)
		length++;
	print_put_padded(out, how, text, length);
}

/* Parse the conversion behind a '%'; returns the first character behind it. */
static const char *print_parse_conversion(const char *at, struct conversion *how)
{
	*how = (struct conversion){ 0 };
	for (;; at++) {
		if (*at == '0')
			how->zero = true;
		else if (*at == '-')
			how->left = true;
		else
			break;
	}
	if (*at == '*') {
		how->star = true;
		at++;
	}
	for (; *at >= '0' && *at <= '9'; at++)
		how->width = how->width * 10 + (unsigned)(*at - '0');
	for (; *at == 'l' || *at == 'z'; at++)
		how->longs++;
	how->letter = *at;
	return *at == 0 ? at : at + 1;
}

void print_format(print_put_fn put, void *context, const char *format, va_list arguments)
{
	const struct output out = { put, context };
	struct conversion how;

	while (*format != 0) {
		const char *start = format;

		while (*format != 0 && *format != '%')
			format++;
		if (format != start)
			put(context, start, (size_t)(format - start));
		if (*format == 0)
			return;
		start = format;
		format = print_parse_conversion(format + 1, &how);
		if (how.star)
			how.width = va_arg(arguments, unsigned);
		switch (how.letter) {
		case 'c':
			print_put_padded(&out, &how, &(char){ (char)va_arg(arguments, int) }, 1);
			break;
		case 's':
			print_put_string(&out, &how, va_arg(arguments, const char *));
			break;
		case 'd':
		case 'i':
			print_put_signed(&out, &how,
			                 how.longs ? va_arg(arguments, int64_t)
			                           : va_arg(arguments, int));
			break;
		case 'u':
		case 'x':
			print_put_number(&out, &how,
			                 how.longs ? va_arg(arguments, uint64_t)
			                           : va_arg(arguments, unsigned),
			                 how.letter == 'x' ? 16 : 10, "");
			break;
		case 'p':
			how = (struct conversion){ .zero = true, .width = 18 };
			print_put_number(&out, &how, (uintptr_t)va_arg(arguments, void *), 16,
			                 "0x");
			break;
		case '%':
			put(context, "%", 1);
			break;
		default:
			put(context, start, (size_t)(format - start));
			break;
		}
	}
}

struct text_output {
	char *text;
	size_t size;
	size_t length;
};

static void print_put_text(void *context, const char *text, size_t length)
{
	struct text_output *out = context;

	for (size_t i = 0; i < length; i++, out->length++)
		if (out->length + 1 < out->size)
			out->text[out->length] = text[i];
}

size_t print_text_v(char *text, size_t size, const char *format, va_list arguments)
{
	struct text_output out = { text, size, 0 };

	print_format(print_put_text, &out, format, arguments);
	text[out.length < size ? out.length : size - 1] = 0;
	return out.length;
}

size_t print_text(char *text, size_t size, const char *format, ...)
{
	va_list arguments;
	size_t length;

	va_start(arguments, format);
	length = print_text_v(text, size, format, arguments);
	va_end(arguments);
	return length;
}
