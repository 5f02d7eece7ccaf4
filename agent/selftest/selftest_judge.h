/* SPDX-License-Identifier: MIT */
/*
 * The self-test's judgement: from figures to a verdict with its reason. Pure, so that tests can use
 * figures that no available machine shows.
 */
#ifndef AGENT_SELFTEST_SELFTEST_JUDGE_H
#define AGENT_SELFTEST_SELFTEST_JUDGE_H

#include <stdbool.h>

#include "agent/selftest/selftest_report.h"

/* The least, middle and greatest of a number of values. */
struct selftest_spread {
	unsigned count;
	int64_t min, median, max;
};

/* Compute the spread of count values, which are sorted in place. All are 0 if count is 0. */
struct selftest_spread selftest_spread_of(int64_t *values, unsigned count);

/* The state of a machine's counters: masks of struct counter_census. */
struct selftest_census {
	uint64_t present, leftovers, foreign, dead; /* as in struct counter_census */
};
void judge_census(const struct selftest_census *f, struct selftest_line *line);

/* An event's counts over a loop and over twice as many turns: the differences. MOVES is an event of
 * time, not of instructions: the counts over the longer loop. */
struct selftest_count {
	enum { SELFTEST_EXACT, SELFTEST_MOVES, SELFTEST_RARE } kind;
	uint64_t turns;           /* turns in which the counts differ */
	uint64_t a_turn;          /* events per turn; RARE: at most */
	struct selftest_spread d; /* the differences */
};
void judge_count(const struct selftest_count *f, struct selftest_line *line);

/* One event on all counters at once: the number of counters that accepted it, and how many of them
 * counted wrong. */
struct selftest_together {
	unsigned counters, wrong;
	int64_t low, high, expected; /* differences */
};
void judge_together(const struct selftest_together *f, struct selftest_line *line);

/*
 * Interrupts of a counter, along a loop of fast instructions and along one of slow ones: by how
 * many events each interrupt came after its overflow. If the delay is a number of instructions at
 * any speed, the interrupt skids; if it is a time in any code, the interrupt is late.
 */
struct selftest_pmi {
	const char *event;
	unsigned due, came;                /* in both loops */
	struct selftest_spread fast, slow; /* events after the overflow */
	uint64_t fast_ps, slow_ps;         /* picoseconds per event */
};
#define SELFTEST_SKID_MAX 1000  /* events after the overflow; a handler's entry adds some 20 */
#define SELFTEST_LATE_MAX 10000 /* ns */
void judge_pmi(const struct selftest_pmi *f, struct selftest_line *line);

/* Interrupts that no handler recognised as its own, and all that came. */
struct selftest_spurious {
	uint64_t spurious, came;
};
void judge_spurious(const struct selftest_spurious *f, struct selftest_line *line);

/* The same code's branches by the branch trace store and by single-step. */
struct selftest_branches {
	bool stored, stepped;     /* the source exists */
	unsigned store_n, step_n; /* branches of that code */
	unsigned differ; /* index of the first branch that differs; if none does, the number of
	                    branches */
	bool is_known;   /* counters ran as well, so lost is known */
	uint64_t lost;   /* branches that the store lost */
	const char *why; /* the reason if stored or stepped is false */
};
void judge_branches(const struct selftest_branches *f, struct selftest_line *line);

/* Statistical profiling over a loop: its records, and the number that the counters lead to. */
struct selftest_spe {
	uint64_t records, operations, interval;
	uint64_t flags;  /* PERF_AUX_FLAG_*, of all AUX records */
	bool is_counted; /* operations is a counter's value, not computed from the loop */
	bool is_broken;  /* some bytes are no packets */
};
void judge_spe(const struct selftest_spe *f, struct selftest_line *line);

/* A CPU's clock compared with the boot CPU's, at the test's begin and at its end. Cycles; ppb. */
struct selftest_clock {
	int64_t offset, later_offset;
	uint64_t error, later_error;
	uint64_t cycles; /* cycles between the two measurements */
	uint64_t frequency;
};
void judge_clock(const struct selftest_clock *f, struct selftest_line *line);

/* Timer interrupts: delays after the deadline, ns; negative if early. */
struct selftest_timer {
	unsigned due;
	struct selftest_spread late;
};
#define SELFTEST_TIMER_MAX 1000000 /* ns: the tick's distance */
void judge_timer(const struct selftest_timer *f, struct selftest_line *line);

/* A loop that does nothing but look at the clock. */
struct selftest_gaps {
	uint64_t number, longest, sum; /* number of gaps; the longest, and the sum, ns */
	uint64_t watched;              /* ns */
	bool has_smi;                  /* the CPU counts system management interrupts */
	uint64_t smi;
};
#define SELFTEST_GAP     10000U   /* ns: the shortest gap */
#define SELFTEST_GAP_MAX 1000000U /* ns: a tick's distance */
void judge_gaps(const struct selftest_gaps *f, struct selftest_line *line);

/* A recording into a ring that is too small for it: the ledgers of both sides. */
struct selftest_ring {
	uint64_t generated, written, lost, delivered;
	uint64_t count, period, residue, delivered_period, lost_period;
	uint64_t ring_lost, reported,
	    /* ring_lost: lost records in all; reported: those that LOST records report;
	     * delivered_lost: the sum of the LOST records that the reader has read */
	    delivered_lost;
	uint64_t causes, sent, coalesced;
	bool is_broken; /* the reader refused the ring */
};
void judge_ring(const struct selftest_ring *f, struct selftest_line *line);

/* The marks that an earlier self-test left in RAM. */
struct selftest_marks {
	unsigned found, left; /* intact marks, and marks that were written */
	uint64_t first_lost;  /* address of the first lost mark; 0: unknown */
	bool was_reset; /* the earlier self-test asked for a reset, so its marks are expected */
	bool same_boot; /* no reset in between */
};
void judge_marks(const struct selftest_marks *f, struct selftest_line *line);

#endif
