/* SPDX-License-Identifier: MIT */
/* A machine's self-test as it came to the host: its JSON, or the text of its QR code. */
#ifndef HOST_TOOLS_REPORT_SELFTEST_SELFTEST_FILE_H
#define HOST_TOOLS_REPORT_SELFTEST_SELFTEST_FILE_H

#include <stdbool.h>

#include "lib/survey/survey.h"
#include "writer/util/error.h"

/* Read a self-test into s. from: the text of a QR code itself, or a file's name ("-": standard
 * input) with either kind in it. Returns 0, or a negative errno; -EINVAL: it is neither, or
 * damaged. Main thread. */
int selftest_file_read(const char *from, struct survey *s, struct error *error);

/* Whether the file begins as a self-test's JSON or QR text does; false if it cannot be read. */
bool selftest_file_is(const char *path);

#endif
