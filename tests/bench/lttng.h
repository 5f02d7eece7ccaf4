/* SPDX-License-Identifier: MIT */
/* A program that LTTng-UST traces: it starts its own session daemon, and then itself once more as
 * the traced program. */
#ifndef TESTS_BENCH_LTTNG_H
#define TESTS_BENCH_LTTNG_H

#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static inline bool lttng_command(const char *command)
{
	return system(command) == 0; /* the command contains only fixed words */
}

/* Print that there is no such figure, and the reason. Returns 0, an exit status. */
static inline int lttng_skip(const char *figure, const char *reason)
{
	printf("bench %s skip %s\n", figure, reason);
	return 0;
}

static inline bool lttng_start(const char *directory, const char *events)
{
	char command[512];

	snprintf(command, sizeof(command),
	         "exec >/dev/null 2>&1; lttng create bench --output=%s/trace && "
	         "lttng enable-channel -u --subbuf-size=4M --num-subbuf=8 c && "
	         "lttng enable-event -u -c c 'bareperf_bench:%s' && lttng start",
	         directory, events);
	return lttng_command(command);
}

static inline void lttng_trace(const char *program)
{
	pid_t traced = fork();
	int status;

	if (traced == 0) {
		execl(program, program, "traced", NULL);
		_exit(127);
	}
	waitpid(traced, &status, 0);
	lttng_command("lttng destroy bench >/dev/null 2>&1");
}

/* Run this program with the argument "traced" while its events are traced; figure is the name of
 * the result. Returns the exit status. */
static inline int lttng_run(const char *program, const char *events, const char *figure)
{
	char directory[] = "/tmp/bareperf-lttng-XXXXXX";
	pid_t daemon;
	int status;

	if (!lttng_command("command -v lttng-sessiond lttng >/dev/null") || !mkdtemp(directory))
		return lttng_skip(figure, "no lttng-tools");
	setenv("LTTNG_HOME", directory, 1);
	fflush(stdout);
	daemon = fork();
	if (daemon == 0) {
		if (freopen("/dev/null", "w", stderr) && freopen("/dev/null", "w", stdout))
			execlp("lttng-sessiond", "lttng-sessiond", "--no-kernel", NULL);
		_exit(127);
	}
	sleep(2);
	if (lttng_start(directory, events))
		lttng_trace(program);
	else
		lttng_skip(figure, "no session daemon can be had here");
	fflush(stdout);
	kill(daemon, SIGTERM);
	waitpid(daemon, &status, 0);
	execlp("rm", "rm", "-rf", directory, NULL);
	return 1;
}

#endif
