/* SPDX-License-Identifier: MIT */
/* A self-test's JSON, which foreign machines may have written: docs/selftest.md. */
#ifndef HOST_TOOLS_REPORT_SELFTEST_SELFTEST_JSON_H
#define HOST_TOOLS_REPORT_SELFTEST_SELFTEST_JSON_H

#include "lib/survey/survey.h"
#include "writer/util/error.h"

/* Read the JSON text into s. Returns 0, or -EINVAL if it is none, or a field is missing or of
 * another kind. Figures that do not fit are errors, too. Main thread. */
int selftest_json_read(const char *text, struct survey *s, struct error *error);

#endif
