/* SPDX-License-Identifier: MIT */
/* The progress line. */
#include "host-tools/progress.h"

#include <inttypes.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#define INTERVAL 0.2

double progress_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

void progress_start(struct progress *progress)
{
	*progress = (struct progress){ .shown = isatty(STDERR_FILENO) };
	progress->started = progress->last = progress_now();
}

/* Whether it is time for a new line. */
static bool due(struct progress *progress, double now)
{
	if (!progress->shown || now < progress->next)
		return false;
	progress->next = now + INTERVAL;
	progress->dirty = true;
	return true;
}

void progress_wait(struct progress *progress, const char *what)
{
	double now = progress_now();

	if (due(progress, now))
		fprintf(stderr, "\r\033[K[ bareperf: %s, %.1f s ]", what, now - progress->started);
}

void progress_show(struct progress *progress, uint64_t records, uint64_t bytes, uint64_t lost)
{
	double now = progress_now();

	if (!due(progress, now))
		return;
	fprintf(stderr,
	        "\r\033[K[ bareperf: %" PRIu64 " records, %.0f records/s, %.1f MB, lost %" PRIu64
	        " ]",
	        records, (double)(records - progress->records) / (now - progress->last + 1e-9),
	        (double)bytes / 1e6, lost);
	progress->records = records;
	progress->last = now;
}

void progress_clear(struct progress *progress)
{
	if (progress->dirty)
		fprintf(stderr, "\r\033[K");
	progress->dirty = false;
	progress->next = 0;
}
