/* SPDX-License-Identifier: MIT */
/* A survey as JSON: docs/selftest.md describes the fields. */
#ifndef LIB_SURVEY_SURVEY_JSON_H
#define LIB_SURVEY_SURVEY_JSON_H

#include "lib/survey/survey.h"

/* Print text as a JSON string. The machine's own texts may contain any bytes; those outside of
 * printable ASCII become '?'. Any context that print allows. */
void survey_json_string(const char *text, survey_print_fn print);

/* Print the survey as one JSON object without a line break, ASCII only. Its failures are not in it;
 * the self-test's report has all checks. */
void survey_json(const struct survey *s, survey_print_fn print);

/* Print the machine and its noise alone, as one JSON object in one line. */
void survey_json_of_noise(const struct survey *s, survey_print_fn print);

#endif
