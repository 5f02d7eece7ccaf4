/* SPDX-License-Identifier: MIT */
/*
 * Taking a survey: how often each figure is measured, and which of the measurements counts. The
 * measurements themselves are a machine's operations, so that tests supply a machine of known
 * latencies.
 */
#ifndef LIB_SURVEY_SURVEY_MACHINE_H
#define LIB_SURVEY_SURVEY_MACHINE_H

#include "lib/survey/survey.h"

#define SURVEY_BATCHES 9U             /* measurements of a figure; their median counts */
#define SURVEY_LEAST   4096U          /* bytes: the ladder's begin */
#define SURVEY_MOST    (256ULL << 20) /* and the greatest size, if there is enough memory */

struct survey_machine {
	/* Send a cache line from CPU a to CPU b and back, in `batches` batches of so many rounds;
	 * cycles[i] is batch i's time. Returns how many batches were measured; 0: a CPU does not
	 * start. */
	unsigned (*round_trips)(unsigned a, unsigned b, unsigned rounds, uint64_t *cycles,
	                        unsigned batches);
	/* Load in turn from lines of `bytes` bytes in random order, each address being the last
	 * load's result; cycles[i] is the time of `loads` loads. Returns the number of batches, 0
	 * without memory. */
	unsigned (*chase)(uint64_t bytes, uint64_t loads, uint64_t *cycles, unsigned batches);
	uint64_t (*cycles)(void); /* now */
	void (*beat)(void);       /* called often: the run is alive */
};

/* Measure all pairs of s->cpus CPUs, `rounds` round trips a batch, for at most `budget` ns in all.
 * Pairs that were not measured are 0. Needs s->hz, as all functions here. Thread. */
void survey_take_map(const struct survey_machine *machine, struct survey *s, unsigned rounds,
                     uint64_t budget);

/* Measure loads over SURVEY_LEAST bytes, 1.5 and 2 times as many, and so on, up to `most` bytes. */
void survey_take_ladder(const struct survey_machine *machine, struct survey *s, uint64_t most,
                        uint64_t loads);

/* Set skid, late and histogram from so many interrupts' distances in events, which are sorted in
 * place; an event takes ps picoseconds. */
void survey_take_interrupts(struct survey *s, uint64_t *events, unsigned count, uint64_t ps);

/* One CPU's clock and the counts of what may take its time; both count from anywhere. */
struct survey_look {
	uint64_t (*cycles)(void);
	void (*causes)(uint32_t *smi, uint32_t *nmi);
	void (*beat)(void); /* called after each period; NULL: nothing is */
};

/* Look at the clock for so many periods of s->period ns, and note each step of more than
 * s->threshold ns as noise. With interrupts masked, on the CPU itself. */
void survey_watch(const struct survey_look *look, const struct survey *s, unsigned periods,
                  struct survey_noise *noise);

#endif
