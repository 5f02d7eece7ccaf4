/* SPDX-License-Identifier: MIT */
/* Quantiles and histograms of measured values, in integers. */
#ifndef LIB_SURVEY_SURVEY_SPREAD_H
#define LIB_SURVEY_SURVEY_SPREAD_H

#include "lib/survey/survey.h"

/* Sort ascending, in place. Any context, as all functions here. */
void survey_sort(uint64_t *values, unsigned count);

/* The quantiles of values, which are sorted in place: of count values, quantile q is the one at
 * q * (count - 1), rounded down. */
struct survey_spread survey_spread_of(uint64_t *values, unsigned count);

/* The median of values, which are sorted in place; 0 if there are none. */
uint64_t survey_median(uint64_t *values, unsigned count);

/* The histogram's bucket for value: 0 for 0, then the number of its bits; the last one is open. */
unsigned survey_bucket(uint64_t value);

#endif
