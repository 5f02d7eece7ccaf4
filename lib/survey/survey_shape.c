/* SPDX-License-Identifier: MIT */
#include "lib/survey/survey_shape.h"

#include "lib/survey/survey_spread.h"

/* ---- Levels ---- */

static bool survey_is_longer(uint64_t value, uint64_t than, unsigned percent)
{
	return value * 100 >= than * (100 + percent);
}

/* Returns where the level that begins at `from` ends, in sorted round trips. */
static unsigned survey_level_end(const uint64_t *sorted, unsigned from, unsigned count,
                                 unsigned least)
{
	for (unsigned i = from + 1; i < count; i++)
		if (i - from >= least && count - i >= least &&
		    survey_is_longer(sorted[i], sorted[i - 1], 25))
			return i;
	return count;
}

unsigned survey_levels(const struct survey *s, struct survey_level levels[SURVEY_LEVELS])
{
	static uint64_t sorted[SURVEY_CPUS * (SURVEY_CPUS - 1) / 2];
	unsigned count = 0, n = 0, least = s->cpus / 4 ? s->cpus / 4 : 1;

	for (unsigned i = 0; i < survey_nr_pairs(s); i++)
		if (s->pairs[i])
			sorted[count++] = s->pairs[i];
	survey_sort(sorted, count);
	for (unsigned from = 0, end; from < count && n < SURVEY_LEVELS; from = end) {
		end = n + 1 < SURVEY_LEVELS ? survey_level_end(sorted, from, count, least) : count;
		levels[n++] = (struct survey_level){ .pairs = end - from,
			                             .min = sorted[from],
			                             .median = sorted[from + (end - from) / 2],
			                             .max = sorted[end - 1] };
	}
	return n;
}

unsigned survey_groups(const struct survey *s, uint64_t max, uint16_t groups[SURVEY_CPUS])
{
	unsigned n = s->cpus;

	for (unsigned i = 0; i < s->cpus; i++)
		groups[i] = (uint16_t)i;
	for (unsigned a = 1; a < s->cpus; a++) {
		for (unsigned b = 0; b < a; b++) {
			uint64_t ps = s->pairs[survey_pair(a, b)];
			uint16_t x = groups[a], y = groups[b];

			if (!ps || ps > max || x == y)
				continue;
			for (unsigned i = 0; i < s->cpus; i++)
				if (groups[i] == x || groups[i] == y)
					groups[i] = x < y ? x : y;
			n--;
		}
	}
	return n;
}

/* ---- Steps ---- */

/* Returns the last point that the ladder reaches from `from` without a rise. */
static unsigned survey_step_end(const struct survey *s, unsigned from)
{
	while (from + 1 < s->nr_points &&
	       !survey_is_longer(s->points[from + 1].ps, s->points[from].ps, 15))
		from++;
	return from;
}

static uint64_t survey_step_ps(const struct survey *s, unsigned from, unsigned end)
{
	unsigned n = end - from + 1 < 3 ? end - from + 1 : 3;
	uint64_t last[3];

	for (unsigned i = 0; i < n; i++)
		last[i] = s->points[end - i].ps;
	return survey_median(last, n);
}

unsigned survey_steps(const struct survey *s, struct survey_point steps[SURVEY_STEPS])
{
	unsigned n = 0, end;

	for (unsigned from = 0; from < s->nr_points; from = end + 1) {
		struct survey_point step;

		end = survey_step_end(s, from);
		if (end - from < 2 && end + 1 < s->nr_points)
			continue; /* a rise */
		step = (struct survey_point){ s->points[end].bytes, survey_step_ps(s, from, end) };
		if (n && (n == SURVEY_STEPS || !survey_is_longer(step.ps, steps[n - 1].ps, 25)))
			steps[n - 1].bytes = step.bytes;
		else
			steps[n++] = step;
	}
	return n;
}
