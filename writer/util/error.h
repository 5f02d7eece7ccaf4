/* SPDX-License-Identifier: MIT */
/*
 * An error's text, carried from its place to the code that prints it.
 * A function that can fail returns 0 or a negative errno and leaves one line in
 * the caller's struct error: the action, its object, and the reason.
 */
#ifndef WRITER_UTIL_ERROR_H
#define WRITER_UTIL_ERROR_H

struct error {
	char text[768]; /* one line without a newline; empty: no error was set */
};

/* Write the line and return code, which must be negative. */
int error_set(struct error *error, int code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The same, followed by ": " and the meaning of errno; returns -errno. */
int error_errno(struct error *error, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Put "prefix: " before the text; returns code. */
int error_prefix(struct error *error, int code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Print "bareperf: " and the line on standard error. */
void error_print(const struct error *error);

/* Print "bareperf: " and the text: for warnings and notes that end nothing. */
void say(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
