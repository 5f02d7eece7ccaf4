/* SPDX-License-Identifier: MIT */
#include "pmu/parse/suggest.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define LONGEST  63U /* letters; longer words get no suggestion */
#define SHORTEST 3U  /* shorter words are similar to too many names */
#define GOES_ON  1U  /* the distance of a name that begins with the word */

static char suggest_lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c + ('a' - 'A')) : c;
}

static uint8_t suggest_least(unsigned a, unsigned b)
{
	return (uint8_t)(a < b ? a : b);
}

/* The number of letters to add, drop, change or swap with their neighbour (optimal string alignment
 * distance); row[i][j] is the distance of the first i letters of a and the first j of b. */
static unsigned suggest_distance(const char *a, size_t n, const char *b, size_t m)
{
	uint8_t rows[3][LONGEST + 1], *before = rows[0], *above = rows[1], *row = rows[2];

	for (size_t j = 0; j <= m; j++)
		above[j] = (uint8_t)j;
	for (size_t i = 1; i <= n; i++) {
		uint8_t *next = before;

		row[0] = (uint8_t)i;
		for (size_t j = 1; j <= m; j++) {
			bool same = suggest_lower(a[i - 1]) == suggest_lower(b[j - 1]);

			row[j] = suggest_least(suggest_least(above[j], row[j - 1]) + 1U,
			                       above[j - 1] + !same);
			if (i > 1 && j > 1 && suggest_lower(a[i - 1]) == suggest_lower(b[j - 2]) &&
			    suggest_lower(a[i - 2]) == suggest_lower(b[j - 1]))
				row[j] = suggest_least(row[j], before[j - 2] + 1U);
		}
		before = above;
		above = row;
		row = next;
	}
	return above[m];
}

struct suggestion suggestion_for(const char *word, size_t length)
{
	return (struct suggestion){ .word = word,
		                    .length = length,
		                    .distance = 2 + (unsigned)length / 4 };
}

void suggestion_offer(struct suggestion *s, const char *name)
{
	size_t length = strlen(name);
	unsigned far;

	if (s->length < SHORTEST || s->length > LONGEST || length > LONGEST)
		return;
	far = suggest_distance(s->word, s->length, name, length);
	if (far > GOES_ON && length > s->length && !memcmp(s->word, name, s->length))
		far = GOES_ON;
	if (far >= s->distance)
		return;
	s->distance = far;
	s->meant = name;
}
