/* SPDX-License-Identifier: MIT */
/* Calls generated code, and survives its exceptions. */
#ifndef AGENT_BENCH_BENCH_CALL_H
#define AGENT_BENCH_BENCH_CALL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Generated code, and the snippet's copies in it. */
struct bench_built {
	uint8_t *start;
	size_t size;      /* bytes */
	size_t copies_at; /* offset of the first copy */
	size_t exit_at;   /* user: offset of the instruction whose exception ends the code */
	bool user;        /* it runs at the user level */
	size_t copy_size; /* at least 1 */
	uint32_t copies;
};

/* bench_call() may run generated code only between these two calls, on the same CPU. bound_ms:
 * limit of a bounded call. Interrupts masked. Thread. */
void bench_call_begin(uint32_t bound_ms);
void bench_call_end(void);

/* The code that bench_call() calls. Thread. */
void bench_call_set(const struct bench_built *code);

/* Run the code once. bounded: with interrupts enabled, so that a timer ends it at the limit;
 * without that there is no interrupt. Returns 0; -EFAULT: an exception ended it, -ETIMEDOUT: the
 * timer did; bench_call_error() describes both. Interrupts masked. Thread. */
int bench_call(bool bounded);
const char *bench_call_error(void);

#endif
