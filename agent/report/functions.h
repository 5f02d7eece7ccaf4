/* SPDX-License-Identifier: MIT */
/*
 * The functions of all code with symbols, each with the weight of its samples. Memory depends on
 * the number of functions, not of samples. Thread.
 */
#ifndef AGENT_REPORT_FUNCTIONS_H
#define AGENT_REPORT_FUNCTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FUNCTIONS_MAX 262144U /* more are not added */

struct function {
	uint64_t start, end; /* addresses */
	const char *name;    /* the caller keeps it as long as the list is used */
	uint64_t weight;     /* the sum of its samples' PERIODs, without its callees' */
};

/* {0} is an empty list. */
struct functions {
	struct function *list;
	size_t count, room;
	uint64_t weight; /* of all samples, also of those outside all functions */
	uint64_t samples;
};

/* The image's own functions, as `boot/symbol-file --table` writes them: ascending by start. */
struct image_symbols {
	uint32_t count;
	struct image_symbol {
		uint32_t start, size; /* bytes; start counts from the image's begin */
		uint32_t
		    name; /* offset of the name, from the end of the last entry; NUL-terminated */
	} symbols[];
};
#pragma GCC visibility push(hidden)
extern const struct image_symbols image_symbols; /* images of tests have none */
#pragma GCC visibility pop

/* Add a function. size 0 (assembly code may have none): it reaches to the next function, at most 4
 * KiB. Returns 0, or -ENOMEM: no memory, or there are FUNCTIONS_MAX. */
int functions_add(struct functions *functions, uint64_t start, uint64_t size, const char *name);

/* Add all functions of an image that is loaded at base. Returns as functions_add(). */
int functions_add_image(struct functions *functions, const struct image_symbols *symbols,
                        uint64_t base);

/* Sort the list for functions_weigh(), when all functions are added. Functions do not overlap. Of
 * several at the same address the one stays that perf shows: with the fewest leading underscores,
 * then the longest name, then the first added. */
void functions_sort(struct functions *functions);

/* Count a sample of this weight at address. Returns whether a function is there. Sums stop at 2^64
 * - 1. */
bool functions_weigh(struct functions *functions, uint64_t address, uint64_t weight);

/* Forget all weights. */
void functions_forget(struct functions *functions);

/* Find the functions with the most weight, at most `most`, in descending order; of equal weight the
 * lower address is first. Functions without weight are left out. Returns their number. */
unsigned functions_hottest(const struct functions *functions, const struct function **hottest,
                           unsigned most);

/* Returns weight's share of functions->weight in hundredths of a percent, rounded. */
unsigned functions_share(const struct functions *functions, uint64_t weight);

void functions_free(struct functions *functions);

#endif
