/* SPDX-License-Identifier: MIT */
#include "agent/uefi/image_records.h"

#include <errno.h>
#include <string.h>

#include "agent/record/record_cpu.h"
#include "agent/record/record_stop.h"
#include "agent/uefi/boot_record.h"
#include "agent/uefi/image_frames.h"
#include "agent/uefi/uefi_calls.h"
#include "agent/uefi/uefi_phases.h"
#include "arch/hosted.h"
#include "lib/console/console.h"
#include "lib/efi/efi_images.h"
#include "lib/hosted.h"
#include "lib/image.h"
#include "pmu/callchain.h"
#include "pmu/clock/clock.h"
#include "pmu/sample.h"

/* Linux's PROT_READ | PROT_EXEC and MAP_PRIVATE, by which perf recognises code. */
#define PROT_READ_EXEC 5U
#define MAP_PRIVATE    2U
#define MISC_BUILD_ID  (1U << 14) /* PERF_RECORD_MISC_MMAP_BUILD_ID */

/* PERF_RECORD_MMAP2 up to its name (perf_event_open(2)). */
struct mmap2 {
	struct perf_event_header header;
	uint32_t pid, tid;
	uint64_t addr, len, pgoff;
	uint8_t build_id_size, reserved_1;
	uint16_t reserved_2;
	uint8_t build_id[20];
	uint32_t prot, flags;
};
_Static_assert(sizeof(struct mmap2) == 72, "perf_event_open(2)");

static struct efi_images_watcher watcher;

/* Write an image's record. A record without room is counted as lost, like any other. */
static void image_record_put(struct traced_cpu *c, const struct efi_image_place *image)
{
	struct perf_event *event = &c->events[0];
	size_t length = strlen(image->name), text = (length + 8) / 8 * 8;
	size_t size = sizeof(struct mmap2) + text + sample_id_size(event->attr.sample_type);
	struct ring_output out;
	struct mmap2 *record = ring_reserve(&out, &c->ring, &event->account, (uint32_t)size);
	char *name;

	if (!record)
		return;
	name = (char *)(record + 1);
	*record = (struct mmap2){
		.header = { PERF_RECORD_MMAP2, PERF_RECORD_MISC_USER, (uint16_t)size },
		.pid = TR_PID,
		.tid = TR_PID,
		.addr = image->base,
		.len = image->size,
		.prot = PROT_READ_EXEC,
		.flags = MAP_PRIVATE,
	};
	if (image->has_build_id) {
		record->header.misc |= MISC_BUILD_ID;
		record->build_id_size = sizeof(record->build_id);
		memcpy(record->build_id, image->build_id, sizeof(record->build_id));
	}
	memset(name, 0, text);
	memcpy(name, image->name, length);
	sample_id_put((uint64_t *)(name + text), event, clock_now());
	ring_commit(&out);
	c->images++;
}

/* An image was loaded (there) or unloaded. bareperf's own image needs no record: it is in the
 * region's table. */
static void image_record_put_change(void *context, const struct efi_image_place *image, bool there)
{
	static const char gone[] = "//anon";
	struct recording *r = context;
	struct efi_image_place unloaded = { .base = image->base, .size = image->size };

	if (there)
		image_frames_add(image);
	else
		image_frames_remove(image);
	memcpy(unloaded.name, gone, sizeof(gone));
	if (image->base != (uint64_t)__image_start)
		image_record_put(r->cpus, there ? image : &unloaded);
}

/* The workload is the first image that is started: its events count from its start until it
 * returns. */
static void image_records_count(struct recording *r, bool on)
{
	struct traced_cpu *c = r->cpus;

	if (!r->image_alone || c->stopped)
		return;
	arch_irq_disable();
	r->off = !on;
	recording_switch_here(c);
	arch_irq_enable();
}

/* StartImage() is about to run an image. Returns the call record of the caller that waits for it,
 * or NULL; image_left() gets it back when the image has returned. */
static const void *image_starts(void *context, const char *name)
{
	struct recording *r = context;

	arch_hosted_again();
	uefi_phase(name, " starts");
	if (r->images_running++ == 0)
		image_records_count(r, true);
	return callchain_call;
}

/* The image has returned, or has left by Exit() from inside calls that never return, whose records'
 * memory is free. So the latest call record is again the one from before the image's start. */
static void image_left(void *context, const void *started)
{
	struct recording *r = context;

	if (--r->images_running == 0)
		image_records_count(r, false);
	__atomic_store_n(&callchain_call, (const struct callchain_call *)started, __ATOMIC_RELEASE);
}

static void image_returns(void *context, const char *name)
{
	(void)context;
	uefi_phase(name, " has returned");
}

/* bareperf reads an image's file: its own work does not count as the workload's. */
static void image_records_look(void *context, bool begins)
{
	struct recording *r = context;

	if (r->images_running)
		image_records_count(r, !begins);
}

/* ExitBootServices() was called, and boot services can still be used. */
static bool image_records_leave(void *context)
{
	struct recording *r = context;

	uefi_phase("ExitBootServices()", "");
	return r->command->boot && r->channel->ops->in_ram && boot_record_leaves();
}

/* ExitBootServices() does not come back here, so the recording is complete now. */
static void image_records_stop(void *context)
{
	struct recording *r = context;
	struct traced_cpu *c = r->cpus;

	if (c->live)
		uefi_phases_report_times();
	uefi_phases_end();
	if (!c->live)
		return;
	arch_irq_disable();
	c->forced = true;
	recording_stop_cpu(c);
	__atomic_store_n(&c->stopped, true, __ATOMIC_RELEASE);
	arch_hosted_end();
	trace_region_set_message(r->region, 0, "ended by ExitBootServices()");
	trace_region_set_state(r->region, TR_COMPLETE);
}

int image_records_begin(struct recording *r)
{
	int code;

	watcher = (struct efi_images_watcher){
		.report = image_record_put_change,
		.starts = image_starts,
		.left = image_left,
		.returns = r->command->boot ? image_returns : NULL,
		.looks = image_records_look,
		.leaves = image_records_leave,
		.ends = image_records_stop,
		.context = r,
	};
	image_frames_begin();
	code = efi_images_watch(&watcher);
	if (code)
		image_frames_end();
	if (code)
		return recording_fail(r, code, "the firmware does not list its images");
	uefi_calls_begin();
	if (r->command->boot)
		uefi_phases_begin();
	else
		boot_record_hosts(r->region->header->command);
	r->watches_images = true;
	return 0;
}

void image_records_end(struct recording *r)
{
	unsigned untold;

	if (!r->watches_images)
		return;
	boot_record_hosts(NULL);
	uefi_phases_end();
	uefi_calls_end();
	image_frames_end();
	untold = efi_images_unwatch();
	r->watches_images = false;
	hosted_report_more();
	if (r->command->callchain)
		image_frames_report();
	if (untold)
		console_printf("%u images are not recorded: only %u can be tracked\n", untold,
		               EFI_IMAGES_MAX);
}
