/* SPDX-License-Identifier: MIT */
/*
 * The self-test's picture of the machine: it has no verdict, but figures (lib/survey/survey.h).
 *
 *	selftest_survey.c	the order, and the machine's identity
 *	selftest_map.c		round trips between CPUs
 *	selftest_memory.c	latency and bandwidth
 *	selftest_noise.c	time that something else takes
 *	noise.c			the same as a command of its own
 *	selftest_pmi.c		skid of counters' interrupts
 *	selftest_screen.c	its QR code
 *	selftest_clocks.c	offsets of clocks
 */
#ifndef AGENT_SELFTEST_SELFTEST_SURVEY_H
#define AGENT_SELFTEST_SELFTEST_SURVEY_H

#include <string.h>

#include "agent/describe.h"
#include "agent/selftest/selftest_report.h"
#include "lib/survey/survey.h"

/* Take the figures that no check takes, into report->survey. It takes seconds. Thread of the boot
 * CPU after the take-over, interrupts masked, as all functions here. */
void selftest_survey(struct selftest_report *report);

/* Copy the report's verdicts into the survey, at the end of the test. */
void selftest_survey_verdicts(struct selftest_report *report);

/* Show the survey as a QR code in the lower right corner of the screen, if there is one. */
void selftest_show_code(const struct survey *s);

/* Whether an emulator carries out the machine's instructions, so that no time means anything. */
static inline bool selftest_is_emulated(void)
{
	return !strcmp(describe_hypervisor(), "TCG");
}

/* Operations of struct survey_machine. */
unsigned selftest_round_trips(unsigned a, unsigned b, unsigned rounds, uint64_t *cycles,
                              unsigned batches);
unsigned selftest_chase(uint64_t bytes, uint64_t loads, uint64_t *cycles, unsigned batches);

/* Allocate memory for selftest_chase() and selftest_bandwidth(): a power of two of bytes, at most
 * this many and a quarter of RAM. Returns its size; 0: there is none. */
uint64_t selftest_memory_open(uint64_t most);
void selftest_memory_close(void);

/* Measure each CPU's reads from that memory, for so long each, and all CPUs' at once. */
void selftest_bandwidth(struct survey *s, uint64_t ns, void (*beat)(void));

/* Watch each CPU for noise, for at most so many periods. */
void selftest_noise(struct survey *s, unsigned most, void (*beat)(void));

/* Set the fields that say which machine this is, and the usual threshold and period of noise. */
void selftest_identify(struct survey *s);

/* Which CPUs are watched, and for how long. */
struct selftest_watch {
	unsigned periods;     /* of each CPU */
	const uint64_t *cpus; /* a bit for each CPU, or NULL: all CPUs */
	bool together;        /* all at once, not one after the other */
	void (*beat)(void);   /* called about once a period by the boot CPU */
};

/* Set the noise of these CPUs; of a CPU that does not start nothing is set. */
void selftest_watch(struct survey *s, const struct selftest_watch *watch);

#endif
