/* SPDX-License-Identifier: MIT */
/*
 * Instructions of an LTTng-UST tracepoint that says what a mark does, counted by stepping through
 * it, in a traced process with a session daemon of its own. tests/bench/marks.py has the marks'.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "arch/host/step.h"

#if !__has_include(<lttng/tracepoint.h>)
#define SKIP "no LTTng-UST (liblttng-ust-dev)"
#elif !HOST_CAN_STEP
#define SKIP "no trap flag to step by"
#else
#define SKIP NULL
#endif

/* What its figures keep: those of LTTng-UST 2.13. */
#define KEEP_PLAIN  1008
#define KEEP_VALUES 1103

static int skip(const char *reason)
{
	printf("bench mark-lttng skip %s\n", reason);
	return 0;
}

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
#define WARM  1000 /* events before: what is resolved, or paged in, by the first */

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

/* The least of some: now and then one begins a new packet. */
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

	sleep(1); /* the daemon enables the events */
	if (!lttng_ust_tracepoint_enabled(bareperf_bench, mark))
		return skip("the session daemon does not trace us");
	for (unsigned i = 0; i < WARM; i++) {
		plain(i);
		values(i);
	}
	sigaction(SIGTRAP, &action, NULL);
	none = count(nothing);
	for (int both = 0; both < 2; both++) {
		long number = count(both ? values : plain) - none;

		printf("bench mark-lttng-%s %ld instructions keep %d %s\n",
		       both ? "values" : "plain", number, both ? KEEP_VALUES : KEEP_PLAIN,
		       number <= (both ? KEEP_VALUES : KEEP_PLAIN) ? "ok" : "worse");
	}
	return 0;
}
#else
static int measure(void)
{
	return skip(SKIP);
}
#endif

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
	         "lttng enable-event -u -c c 'bareperf_bench:mark*' && lttng start",
	         directory);
	return run(command);
}

static void trace_ourselves(char *program)
{
	pid_t traced = fork();
	int status;

	if (traced == 0) {
		execl(program, program, "traced", NULL);
		_exit(127);
	}
	waitpid(traced, &status, 0);
	run("lttng destroy bench >/dev/null 2>&1");
}

int main(int argc, char **argv)
{
	char directory[] = "/tmp/bareperf-lttng-XXXXXX";
	pid_t daemon;
	int status;

	if (argc > 1)
		return measure();
	if (SKIP)
		return skip(SKIP);
	if (!run("command -v lttng-sessiond lttng >/dev/null") || !mkdtemp(directory))
		return skip("no lttng-tools");
	setenv("LTTNG_HOME", directory, 1);
	fflush(stdout);
	daemon = fork();
	if (daemon == 0) {
		if (freopen("/dev/null", "w", stderr) && freopen("/dev/null", "w", stdout))
			execlp("lttng-sessiond", "lttng-sessiond", "--no-kernel", NULL);
		_exit(127);
	}
	sleep(2);
	if (start_tracing(directory))
		trace_ourselves(argv[0]);
	else
		skip("no session daemon can be had here");
	kill(daemon, SIGTERM);
	waitpid(daemon, &status, 0);
	execlp("rm", "rm", "-rf", directory, NULL);
	return 1;
}
