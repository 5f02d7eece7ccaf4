/* SPDX-License-Identifier: MIT */
/* Error lines. */
#include "writer/util/error.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "writer/util/printable.h"

int error_set(struct error *error, int code, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(error->text, sizeof(error->text), format, args);
	va_end(args);
	return code;
}

/* The text as for error_set(), followed by errno's message. */
static __attribute__((format(printf, 2, 0))) void
error_join(struct error *error, const char *format, va_list args, const char *reason)
{
	size_t used;

	vsnprintf(error->text, sizeof(error->text), format, args);
	used = strlen(error->text);
	snprintf(error->text + used, sizeof(error->text) - used, ": %s", reason);
}

int error_errno(struct error *error, const char *format, ...)
{
	int saved = errno ? errno : EIO;
	va_list args;

	va_start(args, format);
	error_join(error, format, args, strerror(saved));
	va_end(args);
	return -saved;
}

int error_prefix(struct error *error, int code, const char *format, ...)
{
	struct error old = *error;
	va_list args;

	va_start(args, format);
	error_join(error, format, args, old.text);
	va_end(args);
	return code;
}

void error_print(const struct error *error)
{
	say("%s", error->text);
}

void say(const char *format, ...)
{
	char text[2048];
	va_list args;

	fflush(stdout);
	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	printable_copy(text, sizeof(text), text, sizeof(text), '?', "\n\t");
	fprintf(stderr, "bareperf: %s\n", text);
}
