/* SPDX-License-Identifier: MIT */
/* The shape of a survey's figures: levels of the core-to-core map, steps of the latency ladder. */
#ifndef LIB_SURVEY_SURVEY_SHAPE_H
#define LIB_SURVEY_SURVEY_SHAPE_H

#include "lib/survey/survey.h"

#define SURVEY_LEVELS 6U
#define SURVEY_STEPS  8U

/* Pairs of CPUs with similar round trips, ps: threads of a core, cores of a socket, ... */
struct survey_level {
	unsigned pairs;
	uint64_t min, median, max;
};

/* Find the map's levels, nearest first: a level ends where the next round trip is at least a
 * quarter longer, if both sides have a quarter as many pairs as there are CPUs. Returns their
 * number; 0: nothing was measured. Thread, not concurrently (it uses static memory). */
unsigned survey_levels(const struct survey *s, struct survey_level levels[SURVEY_LEVELS]);

/* Group the CPUs that are connected by round trips of at most max ps: groups[i] is the lowest CPU
 * of CPU i's group. Returns the number of groups. Any context, as the next. */
unsigned survey_groups(const struct survey *s, uint64_t max, uint16_t groups[SURVEY_CPUS]);

/*
 * Find the ladder's steps: at step.bytes the loads still take step.ps, the median of its last three
 * points; at the next size they take more than 15 % longer. A step has at least three points, and
 * is at least a quarter slower than the one before. The last step ends with the ladder. Returns the
 * number of steps.
 */
unsigned survey_steps(const struct survey *s, struct survey_point steps[SURVEY_STEPS]);

#endif
