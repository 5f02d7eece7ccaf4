/* SPDX-License-Identifier: MIT */
/* "Did you mean": the nearest of the names that could have been meant. */
#ifndef PMU_PARSE_SUGGEST_H
#define PMU_PARSE_SUGGEST_H

#include <stddef.h>

/* A word that no name is like, and the best offer until now. */
struct suggestion {
	const char *word;
	size_t length;
	const char *meant; /* NULL: nothing is near enough */
	unsigned distance; /* of meant: letters to add, drop, change or swap with the next */
};

/* A search for what length letters at word may have meant. Thread, as below. */
struct suggestion suggestion_for(const char *word, size_t length);

/* Take name, which must outlive the search, if it is nearer than what was offered before; of two
 * that are as near the first stays. Near is who differs in one letter, and one more for every four
 * of the word, whatever the case; or who goes on where a word of three letters or more ends. */
void suggestion_offer(struct suggestion *suggestion, const char *name);

#endif
