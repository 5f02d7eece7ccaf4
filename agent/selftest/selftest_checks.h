/* SPDX-License-Identifier: MIT */
/*
 * The self-test's checks, a room each:
 *
 *	selftest.c		their order; `selftest` as a command
 *	selftest_machine.c	what machine it is; its timer; gaps
 *	selftest_counters.c	events against loops of known counts, on each CPU
 *	selftest_pmi.c		counters' interrupts
 *	selftest_branches.c	branch store against single-step
 *	selftest_spe.c		statistical profiling against counters
 *	selftest_ring.c		a ring under load, and its ledger
 *	selftest_clocks.c	the CPUs' clocks against each other
 *	selftest_reset.c	what a reset keeps of RAM
 *	selftest_judge*.c	figures in, verdicts out
 *	selftest_rig.c		events on a ring of our own
 *	selftest_report.c	lines, as text and as JSON
 */
#ifndef AGENT_SELFTEST_SELFTEST_CHECKS_H
#define AGENT_SELFTEST_SELFTEST_CHECKS_H

#include "agent/selftest/selftest_report.h"

/* Each adds its lines. On the boot CPU, the machine ours, interrupts masked before and after.
 * Thread. */
void selftest_machine(struct selftest_report *report);
void selftest_timer(struct selftest_report *report);
void selftest_gaps(struct selftest_report *report);
void selftest_counters(struct selftest_report *report);
/* How many counters count the same event at once. */
unsigned selftest_counters_at_once(void);
void selftest_pmi(struct selftest_report *report);
void selftest_branches(struct selftest_report *report);
void selftest_spe(struct selftest_report *report);
void selftest_ring(struct selftest_report *report);

/* The first look at the other CPUs' clocks, and the second, with its lines. */
void selftest_clocks_begin(struct selftest_report *report);
void selftest_clocks(struct selftest_report *report);

/* Report an earlier self-test's marks; then leave new ones for the next. */
void selftest_marks(struct selftest_report *report);

/* `--reset` was asked for at boot: 1 if it is this boot that ends in one, 0 if this one follows on
 * it, as a note of the firmware's says, or marks in RAM do, so that a machine that is told so at
 * each boot is not reset for ever. -EACCES: the firmware takes no note. Boot services only. Thread.
 */
int selftest_reset_is_due(void);

#endif
