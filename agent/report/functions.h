/* SPDX-License-Identifier: MIT */
/*
 * The functions of all code that has names, each with the weight of its samples. Memory is what the
 * functions take, however many samples there are. Thread.
 */
#ifndef AGENT_REPORT_FUNCTIONS_H
#define AGENT_REPORT_FUNCTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FUNCTIONS_MAX 262144U /* more are not taken in */

struct function {
	uint64_t start, end; /* addresses */
	const char *name;    /* the caller's, for as long as the list is used */
	uint64_t weight;     /* its own, callees' aside: a sum of PERIODs */
};

/* {0} is an empty one. */
struct functions {
	struct function *list;
	size_t count, room;
	uint64_t weight; /* of all samples, those that fell into none of the list included */
	uint64_t samples;
};

/* The image's own, as `boot/symbol-file --table` makes it: ascending by start. */
struct image_symbols {
	uint32_t count;
	struct image_symbol {
		uint32_t start, size; /* bytes, from where the image begins */
		uint32_t name;        /* where it begins behind the last entry; NUL-terminated */
	} symbols[];
};
#pragma GCC visibility push(hidden)
extern const struct image_symbols image_symbols; /* images of tests have none */
#pragma GCC visibility pop

/* Take in one more. size 0 (a function written in assembly may have none): up to the next, 4 KiB at
 * most. 0, or -ENOMEM: there is no memory, or there are FUNCTIONS_MAX. */
int functions_add(struct functions *functions, uint64_t start, uint64_t size, const char *name);

/* All of an image's that lies at base. As above. */
int functions_add_image(struct functions *functions, const struct image_symbols *symbols,
                        uint64_t base);

/* All are there: make ready for functions_weigh(). None reaches into the next; of those that begin
 * at the same address the one stays that perf shows: with the fewest underscores before it, with
 * the longest name, that was added first. */
void functions_sort(struct functions *functions);

/* A sample at address, of this weight; whether a function lies there. Sums stop at 2^64 - 1. */
bool functions_weigh(struct functions *functions, uint64_t address, uint64_t weight);

/* Forget all weights. */
void functions_forget(struct functions *functions);

/* The heaviest, descending, of the same weight the one at the lower address first; those without
 * weight are none. How many there are, at most `most`. */
unsigned functions_hottest(const struct functions *functions, const struct function **hottest,
                           unsigned most);

/* The share of functions->weight, in hundredths of a percent, rounded. */
unsigned functions_share(const struct functions *functions, uint64_t weight);

void functions_free(struct functions *functions);

#endif
