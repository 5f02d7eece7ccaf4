/* SPDX-License-Identifier: MIT */
/*
 * The cost of a record with a timestamp compared with an LTTng-UST event of the same size, both
 * with a live reader.
 */
#include <string.h>

#include "bench.h"
#include "bench_ring.h"
#include "lttng.h"

#define FIGURE "ring-against-lttng"

#if __has_include(<lttng/tracepoint.h>)
#pragma GCC diagnostic ignored "-Wundef"
#pragma GCC diagnostic ignored "-Wshadow"
#pragma GCC diagnostic ignored "-Wstrict-prototypes"
#pragma GCC diagnostic ignored "-Wold-style-definition"
#pragma GCC diagnostic ignored "-Wmissing-prototypes"
#define LTTNG_UST_TRACEPOINT_CREATE_PROBES
#define LTTNG_UST_TRACEPOINT_DEFINE
#include "ring_lttng_event.h"

#define EVENTS 20000

static struct bench_ring *ours;

static void write_theirs(uint64_t count)
{
	for (uint64_t i = 0; i < count; i++)
		lttng_ust_tracepoint(bareperf_bench, sample, i, 1, i, 1, 1000, 0);
}

static __attribute__((noinline)) void write_one(uint64_t number)
{
	struct ring_output out;
	uint64_t *record = ring_reserve(&out, &ours->ring, &ours->account, BENCH_RECORD);

	if (!record)
		return;
	bench_fill(record, number, arch_cycles());
	ring_commit(&out);
}

static void write_ours(uint64_t count)
{
	for (uint64_t i = 0; i < count; i++) {
		if (i % 1024 == 0)
			bench_ring_consume(ours);
		write_one(i);
	}
}

static struct bench_variant variants[] = {
	{ .name = "record with timestamp", .run = write_ours },
	{ .name = "LTTng-UST's event", .run = write_theirs },
};

/* The traced program. */
static int measure(void)
{
	double ratio;

	ours = bench_ring_new(BENCH_RING_SIZE, 0);
	sleep(1); /* wait until the daemon has enabled the event */
	if (!lttng_ust_tracepoint_enabled(bareperf_bench, sample))
		return lttng_skip(FIGURE, "the session daemon does not trace us");
	bench_take_turns(variants, 2, EVENTS, 0);
	bench_print(variants, 2);
	ratio = bench_ratio(&variants[0], &variants[1]);
	bench_figure(FIGURE, ratio, "times-theirs", 0.1, false);
	return 0;
}

int main(int argc, char **argv)
{
	return argc > 1 ? measure() : lttng_run(argv[0], "sample", FIGURE);
}
#else
int main(void)
{
	return lttng_skip(FIGURE, "no LTTng-UST (liblttng-ust-dev)");
}
#endif
