/* SPDX-License-Identifier: MIT */
/* The progress line. */
#include "host-tools/session/progress.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

#include "host-tools/ledger/missing.h"
#include "host-tools/util/terminal.h"

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

/* Put "lost 0", or the losses by kind. Written records that are not in the file yet do not count as
 * lost. */
static void put_lost(const struct ledger *ledger, char *text, size_t size)
{
	static const char *const units[MISSING_UNSAVED] = {
		[MISSING_RECORDS] = "records",       [MISSING_BRANCHES] = "branches",
		[MISSING_PIECES] = "pieces cut",     [MISSING_GAPS] = "with gaps",
		[MISSING_COLLISIONS] = "collisions", [MISSING_BYTES] = "bytes",
		[MISSING_THROTTLED] = "throttled",
	};
	uint64_t sums[MISSING_KINDS];
	size_t used = 0;

	missing_sum(ledger, sums);
	for (int kind = 0; kind < MISSING_UNSAVED && used < size; kind++) {
		const char *comma = used ? ", " : "";

		if (sums[kind] == TR_UNKNOWN)
			used += (size_t)snprintf(text + used, size - used, "%sunknown %s", comma,
			                         units[kind]);
		else if (sums[kind])
			used += (size_t)snprintf(text + used, size - used, "%s%" PRIu64 " %s",
			                         comma, sums[kind], units[kind]);
	}
	if (!used)
		snprintf(text, size, "0");
}

/* Warns early; otherwise the records would be lost at the end, after a wait. */
static void look_at_disk(struct progress *progress, const struct session *session)
{
	struct statvfs disk;
	uint64_t room, missing;

	if (progress->disk_reported || !progress->pace.backlog ||
	    statvfs(session->options.output, &disk))
		return;
	room = (uint64_t)disk.f_bavail * disk.f_frsize;
	missing = pace_short_of(progress->pace.backlog, room);
	if (!missing)
		return;
	progress->disk_reported = true;
	progress_clear(progress);
	say("%.1f MB are still to come, and the disk of %s has room for %.1f MB: make room for "
	    "%.1f MB more, or its end will be lost",
	    (double)progress->pace.backlog / 1e6, session->options.output, (double)room / 1e6,
	    (double)missing / 1e6);
}

void progress_show(struct progress *progress, struct session *session)
{
	double now = progress_now();
	bool lost;
	char text[160], left[32] = "";

	pace_note(&progress->pace, now, channel_backlog(session->region.channel));
	look_at_disk(progress, session);
	if (!due(progress, now))
		return;
	ledger_update(&session->ledger, &session->region);
	put_lost(&session->ledger, text, sizeof(text));
	lost = strcmp(text, "0") != 0;
	if (pace_left(&progress->pace) >= 1)
		snprintf(left, sizeof(left), ", %.0f s left", pace_left(&progress->pace));
	fprintf(stderr,
	        "\r\033[K[ bareperf: %" PRIu64 " records, %.0f records/s, %.1f MB, %slost %s%s%s ]",
	        session->found.records,
	        (double)(session->found.records - progress->records) /
	            (now - progress->last + 1e-9),
	        (double)perf_writer_size(&session->writer) / 1e6,
	        lost ? terminal_alarm(stderr) : "", text, lost ? terminal_plain(stderr) : "", left);
	progress->records = session->found.records;
	progress->last = now;
}

int progress_drain(struct progress *progress, struct session *session, uint64_t *got,
                   struct error *error)
{
	int code = session_drain(session, got, error);

	if (!code)
		session_end_round(session, (uint64_t)(progress_now() * 1e3));
	progress_show(progress, session);
	if (code || !session->writer.failed)
		return code;
	*error = session->writer.failure;
	return session->writer.failed;
}

void progress_clear(struct progress *progress)
{
	if (progress->dirty)
		fprintf(stderr, "\r\033[K");
	progress->dirty = false;
	progress->next = 0;
}

void progress_tell_what_fits(const struct progress *progress, const struct session *session)
{
	char advice[64];

	if (pace_advice(&progress->pace, &session->ledger, advice, sizeof(advice)))
		fprintf(stderr,
		        "[ bareperf record: the channel is too slow for it: about %s is what it "
		        "keeps up, however long the run ]\n",
		        advice);
}
