/* SPDX-License-Identifier: MIT */
/* Error lines. */
#include "writer/util/error.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int error_set(struct error *error, int code, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(error->text, sizeof(error->text), format, args);
	va_end(args);
	return code;
}

/* The text as for error_set(), and behind it what is the matter. */
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
	fflush(stdout);
	fprintf(stderr, "bareperf: %s\n", error->text);
}

void say(const char *format, ...)
{
	va_list args;

	fflush(stdout);
	fputs("bareperf: ", stderr);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
}
