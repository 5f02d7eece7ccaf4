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

/* ---- The whole code ---- */

#define BENCH_LINE 64U /* bytes: alignment counts from here */

/* The pieces of code that differ between the ISAs. */
struct bench_isa {
	void (*save)(struct bench_emitter *e, const struct arch_bench_code *c); /* not for user */
	void (*areas)(struct bench_emitter *e, const struct arch_bench_code *c);
	void (*restore)(struct bench_emitter *e, const struct arch_bench_code *c);
	void (*first_reading)(struct bench_emitter *e, const struct arch_bench_code *c);
	void (*second_reading)(struct bench_emitter *e, const struct arch_bench_code *c);
	bench_pause_fn pause;
	size_t step; /* bytes: where a number that pauses the counters may stand */
	void (*drain)(struct bench_emitter *e);
	void (*nops)(struct bench_emitter *e, size_t size);
	/* the loop register gets the number of iterations; decrement, branch to start */
	void (*loop_begin)(struct bench_emitter *e, uint32_t loops);
	void (*loop_end)(struct bench_emitter *e, const uint8_t *start);
	const uint8_t *exit; /* an instruction that is undefined at every level */
	size_t exit_size;
};

/* The code between the NOPs and the copies. */
static inline void bench_emit_lead(struct bench_emitter *e, const struct arch_bench_code *c,
                                   const struct bench_isa *isa)
{
	isa->first_reading(e, c);
	bench_emit_snippet(e, c, &c->late_init, isa->step, isa->pause);
	if (c->drain)
		isa->drain(e);
}

/* Emit NOPs, so that the code after the lead begins `alignment` bytes behind a line's start. */
static inline void bench_emit_align(struct bench_emitter *e, const struct arch_bench_code *c,
                                    const struct bench_isa *isa)
{
	struct bench_emitter lead = *e;
	size_t over;

	bench_emit_lead(&lead, c, isa);
	over = (size_t)lead.at % BENCH_LINE;
	isa->nops(e, (BENCH_LINE - over) % BENCH_LINE + c->alignment);
}

static inline void bench_emit_copies(struct bench_emitter *e, const struct arch_bench_code *c,
                                     const struct bench_isa *isa)
{
	const uint8_t *start = e->at;

	for (uint32_t i = 0; i < c->copies && !e->full; i++)
		bench_emit_snippet(e, c, &c->code, isa->step, isa->pause);
	if (c->loops)
		isa->loop_end(e, start);
}

/* As arch_bench_build(). */
static inline size_t bench_emit_all(const struct arch_bench_code *c, const struct bench_isa *isa,
                                    uint8_t *to, size_t room, struct arch_bench_places *places)
{
	struct bench_emitter e = { .at = to, .end = to + room };

	if (!c->user)
		isa->save(&e, c);
	isa->areas(&e, c);
	bench_emit(&e, c->init.bytes, c->init.size);
	if (c->loops)
		isa->loop_begin(&e, c->loops);
	if (c->drain)
		isa->drain(&e);
	bench_emit_align(&e, c, isa);
	bench_emit_lead(&e, c, isa);
	places->copies = (size_t)(e.at - to);
	bench_emit_copies(&e, c, isa);
	if (c->drain)
		isa->drain(&e);
	isa->second_reading(&e, c);
	places->exit = (size_t)(e.at - to);
	if (c->user)
		bench_emit(&e, isa->exit, isa->exit_size);
	else
		isa->restore(&e, c);
	return e.full ? 0 : (size_t)(e.at - to);
}

#endif
