/* SPDX-License-Identifier: MIT */
/*
 * The self-test's judgement: figures in, a verdict and what it rests on out. Pure, so that it is
 * tested on figures that no machine at hand has.
 */
#ifndef AGENT_SELFTEST_SELFTEST_JUDGE_H
#define AGENT_SELFTEST_SELFTEST_JUDGE_H

#include <stdbool.h>

#include "agent/selftest/selftest_report.h"

/* A spread: least, middle, greatest, of how many. */
struct selftest_spread {
	unsigned count;
	int64_t min, median, max;
};

/* Of count values, which are sorted for it. 0: all are 0. */
struct selftest_spread selftest_spread_of(int64_t *values, unsigned count);

/* The state of a machine's counters: masks of struct counter_census. */
struct selftest_census {
	uint64_t present, leftovers, foreign;
};
void judge_census(const struct selftest_census *f, struct selftest_line *line);

/* An event counted along a loop, and along twice as many turns: the differences; of MOVES, what
 * takes time and not instructions, the counts along the longer one. */
struct selftest_count {
	enum { SELFTEST_EXACT, SELFTEST_MOVES, SELFTEST_RARE } kind;
	uint64_t turns;           /* of the difference */
	uint64_t a_turn;          /* EXACT: how often it happens in one; RARE: at most */
	struct selftest_spread d; /* of the differences */
};
void judge_count(const struct selftest_count *f, struct selftest_line *line);

/* One event on all counters at once: how many took it, and how many of them counted what the loop
 * has. */
struct selftest_together {
	unsigned counters, wrong;
	int64_t low, high, expected; /* differences */
};
void judge_together(const struct selftest_together *f, struct selftest_line *line);

/*
 * Interrupts of a counter, along a loop of fast instructions and along one of slow ones: how many
 * events beyond its period each found. An interrupt that is late by a number of instructions, at
 * any speed, skids; one that is late by a time, in any code, is late.
 */
struct selftest_pmi {
	const char *event;
	unsigned due, came;                /* in both loops */
	struct selftest_spread fast, slow; /* events beyond */
	uint64_t fast_ps, slow_ps;         /* that an event takes */
};
#define SELFTEST_SKID_MAX 1000  /* events; those of a handler's entry are some 20 */
#define SELFTEST_LATE_MAX 10000 /* ns */
void judge_pmi(const struct selftest_pmi *f, struct selftest_line *line);

/* Interrupts that nobody called their own, among those that came. */
struct selftest_spurious {
	uint64_t spurious, came;
};
void judge_spurious(const struct selftest_spurious *f, struct selftest_line *line);

/* The same code's branches by the branch trace store and by single-step. */
struct selftest_branches {
	bool stored, stepped;     /* whether there is such a source */
	unsigned store_n, step_n; /* branches of that code */
	unsigned differ;          /* the first that differs, from 0; at their ends: none does */
	bool is_known;            /* that counters ran beside the store */
	uint64_t lost;            /* by the store */
	const char *why;          /* stored or stepped is false */
};
void judge_branches(const struct selftest_branches *f, struct selftest_line *line);

/* Statistical profiling along a loop: records against what the counters demand. */
struct selftest_spe {
	uint64_t records, operations, interval;
	uint64_t flags;  /* PERF_AUX_FLAG_*, of all AUX records */
	bool is_counted; /* operations are a counter's, not the loop's */
	bool is_broken;  /* there were bytes that are no packets */
};
void judge_spe(const struct selftest_spe *f, struct selftest_line *line);

/* A CPU's clock against the boot CPU's, at the test's beginning and at its end. Cycles; ppb. */
struct selftest_clock {
	int64_t offset, later_offset;
	uint64_t error, later_error;
	uint64_t cycles; /* between the two */
	uint64_t frequency;
};
void judge_clock(const struct selftest_clock *f, struct selftest_line *line);

/* Timer interrupts: after their deadline, ns; one before it is negative. */
struct selftest_timer {
	unsigned due;
	struct selftest_spread late;
};
#define SELFTEST_TIMER_MAX 1000000 /* ns: the tick's distance */
void judge_timer(const struct selftest_timer *f, struct selftest_line *line);

/* A loop that does nothing but look at the clock. */
struct selftest_gaps {
	uint64_t number, longest, sum; /* of gaps; ns */
	uint64_t watched;              /* ns */
	bool has_smi;                  /* the CPU counts system management interrupts */
	uint64_t smi;
};
#define SELFTEST_GAP     10000U   /* ns: what is called one */
#define SELFTEST_GAP_MAX 1000000U /* ns: a tick's distance */
void judge_gaps(const struct selftest_gaps *f, struct selftest_line *line);

/* A recording into a ring that is too small for it: both sides' books. */
struct selftest_ring {
	uint64_t generated, written, lost, delivered;
	uint64_t count, period, residue, delivered_period, lost_period;
	uint64_t ring_lost, reported,
	    delivered_lost; /* records: in all, in LOST records, read there */
	uint64_t causes, sent, coalesced;
	bool is_broken; /* the reader refused the ring */
};
void judge_ring(const struct selftest_ring *f, struct selftest_line *line);

/* The marks that an earlier self-test left in RAM. */
struct selftest_marks {
	unsigned found, left; /* whole ones, of so many */
	uint64_t first_lost;  /* address; 0: none known */
	bool was_reset;       /* it asked for a reset, so they should be there */
	bool same_boot;       /* there was none in between */
};
void judge_marks(const struct selftest_marks *f, struct selftest_line *line);

#endif
