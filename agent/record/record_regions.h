/* SPDX-License-Identifier: MIT */
/*
 * What events count between a program's marks: `stat -e instructions,marks`. Each CPU sums up by
 * itself, for each region the calls, the time, and each event's counts; when it stops, it writes a
 * region as a sample of the event marks whose text is
 *
 *	region CALLS NS COUNT,COUNT,... NAME
 *
 * with the counts in the events' order, `-' for one that cannot be looked at so. What the two marks
 * themselves add is what regions without a name have counted, and taken off; of regions within
 * another it stays in the outer one. So is what each timer interrupt adds, as far as its handler is
 * counted: at its two ends on x86, where counters stand still between them.
 *
 * A region without a name measures; it is no part of the program. So the events' own totals, too,
 * leave out all that is counted in it.
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
	bool busy;    /* in here: a handler's marks are not counted then */
	bool learned; /* handler[] */
	unsigned depth, nr_regions;
	uint64_t unmatched;            /* ends without a beginning, and what found no room */
	uint64_t empty[REGION_SUMS];   /* what the marks themselves add; UINT64_MAX: not known */
	uint64_t handler[REGION_SUMS]; /* what a timer interrupt adds to the events' */
	uint64_t now[REGION_SUMS];
	uint64_t handlers; /* timer interrupts until then */
	/* The outermost open region without a name: its number in open[] plus 1, and what had been
	 * counted when it began; 0: none is open */
	unsigned aside;
	uint64_t left_out[REGION_SUMS]; /* of the events' totals */
	uint64_t aside_from[REGION_SUMS], aside_handlers;
	struct {
		unsigned region;
		uint64_t handlers; /* until it began */
		uint64_t at[REGION_SUMS];
	} open[REGION_DEPTH + REGION_ASIDE];
	struct {
		char name[REGION_NAME];
		uint64_t calls, sums[REGION_SUMS];
	} regions[REGION_MOST];
};

/* Room for them, if the command counts marks; 0 or -ENOMEM. And what is there told, when the CPU
 * has stopped. Thread. */
int regions_open(struct traced_cpu *c);
void regions_tell(struct traced_cpu *c);
void regions_close(struct traced_cpu *c);

/* The calling CPU measures what a timer interrupt adds, if it counts marks: some milliseconds, in
 * parallel on all CPUs, so that no thread waits for another one's. Where nothing counts yet, the
 * first region's end does it. Thread, interrupts let in. */
void regions_learn(void);

/* A region of the calling CPU's thread begins, ends; the name ends with a NUL, or after so many
 * bytes. From the payload. */
void regions_begin(const char *name, size_t room);
void regions_end(const char *name, size_t room);

#endif
