/* SPDX-License-Identifier: MIT */
/*
 * A record with its timestamp against an event of LTTng-UST of that size, both with a live reader.
 * This program starts a session daemon of its own, itself once more as the traced program,
 * and ends the daemon.
 */
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench.h"
#include "bench_ring.h"

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
	sleep(1); /* the daemon enables the event */
	if (!lttng_ust_tracepoint_enabled(bareperf_bench, sample)) {
		printf("bench " FIGURE " skip the session daemon does not trace us\n");
		return 0;
	}
	bench_take_turns(variants, 2, EVENTS, 0);
	bench_print(variants, 2);
	ratio = bench_ratio(&variants[0], &variants[1]);
	bench_figure(FIGURE, ratio, "times-theirs", 0.1, false);
	return 0;
}

static bool run(const char *command)
{
	return system(command) == 0; /* fixed words of our own */
}

static bool start_tracing(const char *directory)
{
	char command[512];

	snprintf(command, sizeof(command),
	         "exec >/dev/null 2>&1; lttng create bench --output=%s/trace && "
	         "lttng enable-channel -u --subbuf-size=4M --num-subbuf=8 c && "
	         "lttng enable-event -u -c c bareperf_bench:sample && lttng start",
	         directory);
	return run(command);
}

int main(int argc, char **argv)
{
	char directory[] = "/tmp/bareperf-lttng-XXXXXX";
	pid_t daemon;
	int status;

	if (argc > 1)
		return measure();
	if (!run("command -v lttng-sessiond lttng >/dev/null") || !mkdtemp(directory)) {
		printf("bench " FIGURE " skip no lttng-tools\n");
		return 0;
	}
	setenv("LTTNG_HOME", directory, 1);
	fflush(stdout);
	daemon = fork();
	if (daemon == 0) {
		if (freopen("/dev/null", "w", stderr) && freopen("/dev/null", "w", stdout))
			execlp("lttng-sessiond", "lttng-sessiond", "--no-kernel", NULL);
		_exit(127);
	}
	sleep(2);
	if (start_tracing(directory)) {
		pid_t traced = fork();

		if (traced == 0) {
			execl(argv[0], argv[0], "traced", NULL);
			_exit(127);
		}
		waitpid(traced, &status, 0);
		run("lttng destroy bench >/dev/null 2>&1");
	} else {
		printf("bench " FIGURE " skip no session daemon can be had here\n");
	}
	kill(daemon, SIGTERM);
	waitpid(daemon, &status, 0);
	execlp("rm", "rm", "-rf", directory, NULL);
	return 1;
}
#else
int main(void)
{
	printf("bench " FIGURE " skip no LTTng-UST (liblttng-ust-dev)\n");
	return 0;
}
#endif
