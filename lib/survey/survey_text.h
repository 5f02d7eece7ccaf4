/* SPDX-License-Identifier: MIT */
/* A survey as text for people. */
#ifndef LIB_SURVEY_SURVEY_TEXT_H
#define LIB_SURVEY_SURVEY_TEXT_H

#include "lib/survey/survey.h"

#define SURVEY_TEXT_LINES 40U /* the most lines, so that the text can be pasted */

/* Print the survey's text, at most SURVEY_TEXT_LINES lines. Thread, not concurrently. */
void survey_text(const struct survey *s, survey_print_fn print);

/* Print the table of noise alone, with at most so many CPUs: those that lost the most time. CPUs
 * that were not watched have no row. Thread. */
void survey_text_noise(const struct survey *s, unsigned rows, survey_print_fn print);

#endif
