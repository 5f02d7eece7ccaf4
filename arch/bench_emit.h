/* SPDX-License-Identifier: MIT */
/* Bytes of generated code, for the files of each ISA that build it (arch/bench.h). Thread. */
#ifndef ARCH_BENCH_EMIT_H
#define ARCH_BENCH_EMIT_H

#include <string.h>

#include "arch/bench.h"

/* In a snippet, with no_mem: the counters pause, and count again. The numbers are nanoBench's. */
#define BENCH_MAGIC_STOP  0xf0b513b1c2813f04ULL
#define BENCH_MAGIC_START 0xe0b513b1c2813f04ULL

struct bench_emitter {
	uint8_t *at, *end;
	bool full; /* bytes were left out */
};

static inline void bench_emit(struct bench_emitter *e, const void *bytes, size_t size)
{
	if (size > (size_t)(e->end - e->at)) {
		e->full = true;
		return;
	}
	if (size)
		memcpy(e->at, bytes, size);
	e->at += size;
}

/* Values that are kept in registers change by the counters': read at a start, or at a stop. */
typedef void (*bench_pause_fn)(struct bench_emitter *e, const struct arch_bench_code *c,
                               bool starts);

/* A snippet. With no_mem, the numbers at a multiple of step bytes that pause the counters become
 * the code of pause. */
static inline void bench_emit_snippet(struct bench_emitter *e, const struct arch_bench_code *c,
                                      const struct arch_bench_bytes *snippet, size_t step,
                                      bench_pause_fn pause)
{
	size_t i = 0;

	if (!c->no_mem) {
		bench_emit(e, snippet->bytes, snippet->size);
		return;
	}
	while (i < snippet->size) {
		size_t left = snippet->size - i, size = left < step ? left : step;
		uint64_t word = 0;

		if (left >= sizeof(word))
			memcpy(&word, snippet->bytes + i, sizeof(word));
		if (word == BENCH_MAGIC_STOP || word == BENCH_MAGIC_START) {
			pause(e, c, word == BENCH_MAGIC_START);
			i += sizeof(word);
			continue;
		}
		bench_emit(e, snippet->bytes + i, size);
		i += size;
	}
}

#endif
