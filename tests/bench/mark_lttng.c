/* SPDX-License-Identifier: MIT */
/*
 * Instructions of an LTTng-UST tracepoint with the same content as a mark, counted by
 * single-stepping a traced process. tests/bench/marks.py counts those of marks.
 */
#include "arch/host/step.h"
#include "lttng.h"

#define FIGURE "mark-lttng"

#if !__has_include(<lttng/tracepoint.h>)
#define SKIP "no LTTng-UST (liblttng-ust-dev)"
#elif !HOST_CAN_STEP
#define SKIP "no trap flag to step by"
#else
#define SKIP NULL
#endif

#if HOST_CAN_STEP && __has_include(<lttng/tracepoint.h>)
#pragma GCC diagnostic ignored "-Wundef"
#pragma GCC diagnostic ignored "-Wshadow"
#pragma GCC diagnostic ignored "-Wstrict-prototypes"
#pragma GCC diagnostic ignored "-Wold-style-definition"
#pragma GCC diagnostic ignored "-Wmissing-prototypes"
#define LTTNG_UST_TRACEPOINT_CREATE_PROBES
#define LTTNG_UST_TRACEPOINT_DEFINE
#include "ring_lttng_event.h"

#define TIMES 9
/* events before the measurement: the first ones resolve symbols and fault pages in */
#define WARM  1000

static volatile sig_atomic_t steps;

static void on_trap(int number)
{
	(void)number;
	steps++;
}

static void plain(unsigned i)
{
	(void)i;
	lttng_ust_tracepoint(bareperf_bench, mark, "eleven char");
}

static void values(unsigned i)
{
	lttng_ust_tracepoint(bareperf_bench, mark_values, "two", i, 123456UL + i);
}

static void nothing(unsigned i)
{
	(void)i;
}

/* The minimum of several counts, because an event sometimes begins a new packet. */
static long count(void (*volatile event)(unsigned i))
{
	long least = -1;

	for (unsigned i = 0; i < TIMES; i++) {
		steps = 0;
		host_step_start();
		event(i);
		host_step_end();
		least = least < 0 || steps < least ? steps : least;
	}
	return least;
}

/* The traced program. */
static int measure(void)
{
	struct sigaction action = { .sa_handler = on_trap };
	long none;

	sleep(1); /* wait until the daemon has enabled the events */
	if (!lttng_ust_tracepoint_enabled(bareperf_bench, mark))
		return lttng_skip(FIGURE, "the session daemon does not trace us");
	for (unsigned i = 0; i < WARM; i++) {
		plain(i);
		values(i);
	}
	sigaction(SIGTRAP, &action, NULL);
	none = count(nothing);
	for (int both = 0; both < 2; both++) {
		long number = count(both ? values : plain) - none;

		printf("bench " FIGURE "-%s %ld instructions peer\n", both ? "values" : "plain",
		       number);
	}
	return 0;
}
#else
static int measure(void)
{
	return lttng_skip(FIGURE, SKIP);
}
#endif

int main(int argc, char **argv)
{
	if (argc > 1)
		return measure();
	return SKIP ? lttng_skip(FIGURE, SKIP) : lttng_run(argv[0], "mark*", FIGURE);
}
