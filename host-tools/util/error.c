/* SPDX-License-Identifier: MIT */
/* Error lines. */
#include "host-tools/util/error.h"

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

int error_errno(struct error *error, const char *format, ...)
{
	int saved = errno ? errno : EIO;
	size_t used;
	va_list args;

	va_start(args, format);
	vsnprintf(error->text, sizeof(error->text), format, args);
	va_end(args);
	used = strlen(error->text);
	snprintf(error->text + used, sizeof(error->text) - used, ": %s", strerror(saved));
	return -saved;
}

int error_prefix(struct error *error, int code, const char *format, ...)
{
	struct error old = *error;
	size_t used;
	va_list args;

	va_start(args, format);
	vsnprintf(error->text, sizeof(error->text), format, args);
	va_end(args);
	used = strlen(error->text);
	snprintf(error->text + used, sizeof(error->text) - used, ": %s", old.text);
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
