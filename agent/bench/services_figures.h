/* SPDX-License-Identifier: MIT */
/* The statistics of a service's calls. Any context. */
#ifndef AGENT_BENCH_SERVICES_FIGURES_H
#define AGENT_BENCH_SERVICES_FIGURES_H

#include <stdint.h>

/* Each in the unit of the values. */
struct services_figures {
	uint64_t calls;
	uint64_t min, p25, median, p75, p99, max;
	uint64_t sum; /* of all values; at most UINT64_MAX */
};

/* Compute the figures of count values, at least 1, and sort the values. A quantile is a value
 * itself: the least one that at least this share of the values does not exceed. */
void services_figures_of(struct services_figures *figures, uint64_t *values, uint64_t count);

/* value * numerator / denominator, rounded down; UINT64_MAX if it is larger. denominator: not 0. */
uint64_t services_scale(uint64_t value, uint64_t numerator, uint64_t denominator);

#endif
