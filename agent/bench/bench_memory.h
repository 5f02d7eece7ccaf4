/* SPDX-License-Identifier: MIT */
/* The memory of microbenchmarks, taken while the firmware still runs. */
#ifndef AGENT_BENCH_BENCH_MEMORY_H
#define AGENT_BENCH_BENCH_MEMORY_H

#include <stddef.h>

#include "lib/bench/bench.h"

#define BENCH_CODE_ROOM (4U << 20) /* bytes for generated code */

struct bench_memory {
	uint8_t *areas[BENCH_AREAS]; /* BENCH_AREA bytes each, one after the other; the user level
	                              * may access them and the next page */
	uint64_t *reading; /* ARCH_PAGE bytes behind the areas, which generated code writes */
	uint8_t *code;     /* BENCH_CODE_ROOM bytes: read, write, execute */
	uint8_t *request;  /* BENCH_REQUEST bytes */
	uint8_t *result;   /* BENCH_RESULT bytes, for an encoded result */
	int64_t *values;   /* BENCH_VALUES values */
};
#define BENCH_RESULT (1U << 20)

/* Take the memory and have it mapped. Without it there are no microbenchmarks. Boot services only,
 * before memory_prepare(). */
void bench_memory_take(void);

/* The memory; NULL: it was not taken. Any context. */
const struct bench_memory *bench_memory(void);

#endif
