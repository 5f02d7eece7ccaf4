/* SPDX-License-Identifier: MIT */
/* "Did you mean": the known name that is most similar to an unknown one. */
#ifndef PMU_PARSE_SUGGEST_H
#define PMU_PARSE_SUGGEST_H

#include <stddef.h>

/* An unknown word, and the most similar name until now. */
struct suggestion {
	const char *word;
	size_t length;
	const char *meant; /* NULL: no name is similar enough */
	unsigned distance; /* of meant: letters to add, drop, change or swap with the next one */
};

/* Begin the search for a name similar to the length letters at word. Thread, as below. */
struct suggestion suggestion_for(const char *word, size_t length);

/* Offer a name; it becomes the suggestion if it is more similar than the earlier offers. It must
 * outlive the search. A name is similar if it differs from the word in one letter, plus one for
 * every four letters of the word, upper and lower case being equal; or if the word has three
 * letters or more and the name begins with it. */
void suggestion_offer(struct suggestion *suggestion, const char *name);

#endif
