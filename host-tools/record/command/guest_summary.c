/* SPDX-License-Identifier: MIT */
/* The closing lines of `bareperf run -- record ...`. */
#include "host-tools/record/command/guest_summary.h"

#include <inttypes.h>
#include <stdio.h>

#include "host-tools/ledger/check.h"
#include "host-tools/ledger/missing.h"
#include "host-tools/util/exit_status.h"
#include "host-tools/util/terminal.h"

static void report_nameless(const struct session *session)
{
	for (uint32_t i = 0; i < session->region.header.images.count; i++) {
		if (!session->files[i].found)
			say("no ELF with the build-id of image %s was found: perf will show its "
			    "addresses without names. Use --symbols DIR",
			    session->files[i].path);
	}
}

/* Bytes of the AUX areas that are in the file. */
static uint64_t traced(const struct session *session)
{
	uint64_t bytes = 0;

	for (uint32_t i = 0; i < session->ledger.head.ring_count; i++)
		bytes += session->ledger.rings[i].found.aux_delivered;
	return bytes;
}

/* Records that newer ones have overwritten, as the user asked. */
static uint64_t overwritten(const struct ledger *ledger)
{
	uint64_t records = 0;

	for (uint32_t i = 0; i < ledger->head.event_count; i++)
		records += check_overwritten(ledger, &ledger->events[i]);
	return records;
}

/* perf's closing line, in perf's words. */
static void print_captured(const struct session *session, const char *output, unsigned replaced)
{
	char trace[64] = "";

	if (traced(session))
		snprintf(trace, sizeof(trace), ", %" PRIu64 " bytes of trace", traced(session));
	fprintf(stderr,
	        "[ bareperf record: Captured and wrote %.3f MB %s (%" PRIu64 " samples%s) ]\n",
	        (double)perf_writer_size(&session->writer) / 1e6, output, session->found.samples,
	        trace);
	if (overwritten(&session->ledger))
		fprintf(stderr,
		        "[ bareperf record: the newest of each ring; %" PRIu64
		        " older records were overwritten ]\n",
		        overwritten(&session->ledger));
	if (replaced)
		fprintf(stderr,
		        "[ bareperf record: %u readers died and were replaced; no record was lost "
		        "]\n",
		        replaced);
}

static void print_missing(void *context, const struct missing *missing)
{
	char text[256];

	(void)context;
	missing_text(missing, text, sizeof(text));
	fprintf(stderr, "%s[ bareperf record: LOST %s ]%s\n", terminal_alarm(stderr), text,
	        terminal_plain(stderr));
}

static void print_check(void *context, bool holds, const char *line)
{
	(void)context;
	if (!holds)
		fprintf(stderr, "  not conserved: %s\n", line);
}

/* Counts and samples lack that part, and nothing else shows it. */
static void report_uncounted(const struct ledger *ledger)
{
	uint64_t ns = 0;

	for (uint32_t i = 0; i < ledger->head.cpu_count; i++)
		ns += ledger->cpus[i].uncounted;
	if (ns)
		fprintf(stderr,
		        "%s[ bareperf record: LOST for %.3f ms a counter counted nothing, though "
		        "its CPU executed: something below this machine had the counter "
		        "(docs/kvm.md) ]%s\n",
		        terminal_alarm(stderr), (double)ns / 1e6, terminal_plain(stderr));
}

/* The times are the host clock's, because the machine's own clock may have been stopped too. */
static void report_stops(const struct session_stops *stops)
{
	if (stops->count)
		fprintf(stderr,
		        "[ bareperf record: the machine was stopped %" PRIu64
		        " times to be read, %.1f s in all, %.1f ms the longest ]\n",
		        stops->count, (double)stops->length / 1e9, (double)stops->longest / 1e6);
}

int guest_summary(const struct session *session, const char *output, unsigned replaced)
{
	const struct ledger *ledger = &session->ledger;
	char advice[128];

	report_nameless(session);
	if (output)
		print_captured(session, output, replaced);
	report_stops(&session->stops);
	if (ledger_late_reader(ledger))
		fprintf(stderr, "[ bareperf record: %s ]\n", ledger_late_reader(ledger));
	report_uncounted(ledger);
	if (missing_list(ledger, print_missing, NULL) &&
	    missing_advice(ledger, advice, sizeof(advice)))
		fprintf(stderr, "[ bareperf record: to keep it, record with %s ]\n", advice);
	/* With no file, a machine that still counts has nothing that could be missing. */
	if ((!output && !ledger_ended(ledger)) || check_conserved(ledger, NULL, NULL))
		return EXIT_OK;
	say("the recording is not conserved:");
	check_conserved(ledger, print_check, NULL);
	return RUN_NOT_CONSERVED;
}
