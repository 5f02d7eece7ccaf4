/* SPDX-License-Identifier: MIT */
/*
 * Counts between a program's marks: `stat -e instructions,marks`. For each region, each CPU sums up
 * the calls, the time, and each event's counts. When the CPU stops, it writes each region as a
 * sample of the event "marks" with the text
 *
 *	region CALLS NS COUNT,COUNT,... NAME
 *
 * The counts are in the events' order; `-' means that the event cannot be read at a mark. The
 * overhead of the two marks themselves is measured by regions without a name, and subtracted. A
 * region inside another one leaves its own overhead in the outer one. The overhead of each timer
 * interrupt is subtracted as well, as far as the counters count in its handler: on x86 they are
 * stopped in it, except at its two ends.
 *
 * A region without a name is a measurement and no part of the program. So its counts are left out
 * of the events' totals, too.
 */
#ifndef AGENT_RECORD_RECORD_REGIONS_H
#define AGENT_RECORD_RECORD_REGIONS_H

#include "agent/record/recording.h"

#define REGION_DEPTH 16U
#define REGION_ASIDE 2U                       /* more levels, for regions without a name */
#define REGION_MOST  64U                      /* names a CPU */
#define REGION_NAME  56U                      /* bytes, with the NUL */
#define REGION_SUMS  (COMMAND_MAX_EVENTS + 1) /* the last is the time, ns */

struct mark_regions {
	struct perf_event *events;
	unsigned nr_events;
	bool busy;    /* this code is running: marks of a handler are not counted then */
	bool learned; /* handler[] is measured */
	unsigned depth, nr_regions;
	uint64_t unmatched;          /* ends without a beginning, and regions without room */
	uint64_t empty[REGION_SUMS]; /* the overhead of the marks themselves; UINT64_MAX: unknown */
	uint64_t handler[REGION_SUMS]; /* a timer interrupt's overhead in each event */
	uint64_t now[REGION_SUMS];
	uint64_t handlers; /* timer interrupts until now[] was read */
	/* The outermost open region without a name: its index in open[] plus 1, or 0 if none is
	 * open; and the counts when it began. */
	unsigned aside;
	uint64_t left_out[REGION_SUMS]; /* of the events' totals */
	uint64_t aside_from[REGION_SUMS], aside_handlers;
	struct {
		unsigned region;
		uint64_t handlers; /* timer interrupts until it began */
		uint64_t at[REGION_SUMS];
	} open[REGION_DEPTH + REGION_ASIDE];
	struct {
		char name[REGION_NAME];
		uint64_t calls, sums[REGION_SUMS];
	} regions[REGION_MOST];
};

/* open: allocate the CPU's regions if the command counts marks; 0 or -ENOMEM. report: write their
 * samples when the CPU has stopped. close: free them. Thread. */
int regions_open(struct traced_cpu *c);
void regions_report(struct traced_cpu *c);
void regions_close(struct traced_cpu *c);

/* Measure the timer interrupt's overhead on the calling CPU, if it counts marks. It takes a few
 * milliseconds, on all CPUs in parallel, so that no thread waits for another one's. If nothing
 * counts yet, the end of the first region does it. Thread, interrupts unmasked. */
void regions_learn(void);

/* A region of the calling CPU's thread begins or ends. The name ends with a NUL or after room
 * bytes. Payload's thread. */
void regions_begin(const char *name, size_t room);
void regions_end(const char *name, size_t room);

#endif
