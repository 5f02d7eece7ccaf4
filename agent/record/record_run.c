/* SPDX-License-Identifier: MIT */
/* A run, from the wait for its reader to the workload's end. */
#include "agent/record/record_run.h"

#include <errno.h>

#include "agent/payload/payload_calls.h"
#include "agent/payload/payload_fetch.h"
#include "agent/payload/payload_output.h"
#include "agent/payload/payload_run.h"
#include "agent/record/reader.h"
#include "agent/record/record_beside.h"
#include "agent/record/record_cpu.h"
#include "agent/record/record_regions.h"
#include "agent/record/record_summary.h"
#include "agent/record/recording.h"
#include "agent/uefi/image_records.h"
#include "agent/uefi/uefi_phases.h"
#include "lib/console/console.h"
#include "lib/syscalls.h"
#include "pmu/mark.h"
#include "pmu/pmu.h"
#include "workload/workload.h"

#define STOPPED_BY_KEY 130

static int record_workload(void *arg)
{
	const struct command *command = arg;

	if (command->workload->takes_words)
		return workload_of(command->workload)
		    ->run_program(command->argc, (char **)(uintptr_t)command->argv);
	return workload_of(command->workload)->run(command->argument);
}

/* The traced code: a workload, which may exit() or crash. */
static int record_payload(void *arg)
{
	struct recording *r = arg;

	return payload_run(record_workload, (void *)(uintptr_t)r->command, &r->end);
}

static enum payload_marks record_marks_of(const struct recording *r)
{
	for (unsigned i = 0; i < r->nr_events; i++) {
		const struct perf_event_attr *attr = &r->specs[i].attr;

		if (mark_is_event(attr))
			return attr->sample_period ? MARKS_RECORDED : MARKS_COUNTED;
	}
	return MARKS_UNWANTED;
}

/* No event counts before the reader reads, or has turned out to be missing or late. */
static void record_await_reader(struct recording *r)
{
	r->found = reader_await(r->region, r->channel);
	if (r->found == TR_READER_GONE || r->found == TR_READER_LATE)
		console_printf("the reader %s: recording without it\n",
		               r->found == TR_READER_GONE ? "is gone" : "is not ready in time");
}

static int record_fail_to_start(struct recording *r, const struct traced_cpu *c)
{
	const struct perf_event *event = c->failed;
	const char *reason = event && event->why ? event->why : event_error_text(c->code);

	if (!event)
		return recording_fail(r, c->code, "CPU %u: %s", c->cpu, reason);
	if (event->group_leader->nr_members > 1)
		return recording_fail(r, c->code, "CPU %u: event %s, in the group of %s: %s",
		                      c->cpu, event->name, event->group_leader->name, reason);
	return recording_fail(r, c->code, "CPU %u: event %s: %s", c->cpu, event->name, reason);
}

static int record_fail_by_crash(struct recording *r)
{
	trace_region_set_backtrace(r->region, payload_crash_backtrace());
	return recording_fail(r, -EFAULT, "%s", payload_crash_message());
}

/* The exit status is that of a program that SIGINT has ended. */
static int record_report_key(const struct recording *r)
{
	console_printf("stopped by a key\n");
	trace_region_set_message(r->region, 0, "stopped by a key");
	return STOPPED_BY_KEY;
}

/* Begin the work beside the workload. The console withholds its text from the screen, which shows
 * the progress, and ticks look for the stop key. In hosted mode screen and keys are the firmware's;
 * instead, the images that it loads are recorded. */
static int record_begin_beside(struct recording *r)
{
	console_hold();
	if (r->hosted)
		return image_records_begin(r);
	recording_progress_begin(r);
	recording_keys_begin(r);
	return 0;
}

static void record_end_beside(struct recording *r)
{
	if (r->hosted) {
		image_records_end(r);
	} else {
		recording_keys_end(r);
		recording_progress_end(r);
	}
	console_release();
}

/* Events of a UEFI image count only from its StartImage() to its return, because bareperf itself
 * loads it before. AUX areas cannot be paused, so a trace also holds the loading. */
static void record_await_image(struct recording *r)
{
	r->image_alone = r->hosted && !r->command->boot && !r->command->disabled && !r->aux_pages;
	r->off = r->off || r->image_alone;
}

static int record_recording_begin(struct recording *r)
{
	int code;

	payload_begin();
	payload_output_begin(r->region);
	payload_fetch_begin();
	payload_calls_mark(record_marks_of(r));
	recording_forget_last(r->region);
	trace_region_set_recording(r->region);
	record_await_reader(r);
	code = record_begin_beside(r);
	if (code) {
		record_end_beside(r);
		return code;
	}
	record_await_image(r);
	r->failed = recording_start_all(r);
	r->uncounted = recording_uncounted(r);
	return 0;
}

static bool record_is_started(const struct recording *r)
{
	return !r->failed && !r->uncounted;
}

/* code: the workload's exit status or errno. */
static int record_recording_end(struct recording *r, int code)
{
	const struct command *command = r->command;
	uint64_t files = 0;

	recording_stop_all(r);
	record_end_beside(r);
	recording_report_counters(r);
	if (record_is_started(r))
		files = payload_fetch(command, r->region, r->channel);
	syscalls_take_heap_back(files);
	if (r->failed)
		return record_fail_to_start(r, r->failed);
	if (r->uncounted)
		return recording_fail(r, -ENXIO, "event %s: %s", r->uncounted,
		                      event_error_text(-ENXIO));
	if (payload_crash_message())
		return record_fail_by_crash(r);
	if (r->by_key)
		code = record_report_key(r);
	else if (code && !command->workload->takes_words)
		return recording_fail(r, code, "workload %s: %s", command->workload->name,
		                      event_error_text(code));
	r->region->header->exit_status = code;
	if (code && !r->by_key)
		console_printf("%s: exit status %d\n", command->workload->name, code);
	recording_summarise(r);
	trace_region_set_state(r->region, TR_COMPLETE);
	return 0;
}

int recording_run(struct recording *r)
{
	int code = record_recording_begin(r);

	if (code)
		return code;
	if (record_is_started(r)) {
		arch_irq_enable();
		regions_learn();
		if (r->command->boot)
			return 0;
		code = arch_call_payload(record_payload, r);
		arch_irq_disable();
	}
	return record_recording_end(r, code);
}

int recording_end_boot(struct recording *r, const char *why)
{
	arch_irq_disable();
	if (why) {
		console_printf("%s\n", why);
		trace_region_set_message(r->region, 0, why);
	}
	uefi_phases_report_devices();
	uefi_phases_report_times();
	return record_recording_end(r, 0);
}
