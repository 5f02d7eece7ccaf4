/* SPDX-License-Identifier: MIT */
/*
 * The self-test's checks, one file each:
 *
 *	selftest.c		their order; `selftest` as a command
 *	selftest_machine.c	the machine's identity, its timer, gaps
 *	selftest_counters.c	events compared with loops of known counts, on each CPU
 *	selftest_pmi.c		counters' interrupts
 *	selftest_branches.c	branch store compared with single-step
 *	selftest_spe.c		statistical profiling compared with counters
 *	selftest_ring.c		a ring under load, and its ledger
 *	selftest_clocks.c	the CPUs' clocks compared with each other
 *	selftest_survey.h	the picture: figures without a verdict
 *	selftest_reset.c	the part of RAM that survives a reset
 *	selftest_judge*.c	figures in, verdicts out
 *	selftest_rig.c		events on a ring of our own
 *	selftest_report.c	lines, as text and as JSON
 */
#ifndef AGENT_SELFTEST_SELFTEST_CHECKS_H
#define AGENT_SELFTEST_SELFTEST_CHECKS_H

#include "agent/selftest/selftest_report.h"

/* Each check adds its lines to the report. Thread of the boot CPU, after the take-over, interrupts
 * masked before and after. */
void selftest_machine(struct selftest_report *report);
void selftest_timer(struct selftest_report *report);
void selftest_gaps(struct selftest_report *report);
void selftest_counters(struct selftest_report *report);
/* Returns how many counters can count the same event at once. */
unsigned selftest_counters_at_once(void);
void selftest_pmi(struct selftest_report *report);
void selftest_branches(struct selftest_report *report);
void selftest_spe(struct selftest_report *report);
void selftest_ring(struct selftest_report *report);

/* begin: the first measurement of the other CPUs' clocks. The other: the second measurement, and
 * the lines. */
void selftest_clocks_begin(struct selftest_report *report);
void selftest_clocks(struct selftest_report *report);

/* Report an earlier self-test's marks; then leave new ones for the next. */
void selftest_marks(struct selftest_report *report);

/* For `--reset` on the machine's own command line. Returns 1 if this boot must reset the machine; 0
 * if it follows that reset. The firmware's note says so, or marks in RAM: a machine with this
 * command line must not be reset at each boot. Returns -EACCES if the firmware keeps no note. Boot
 * services only. Thread. */
int selftest_reset_is_due(void);

#endif
