/* SPDX-License-Identifier: MIT */
/* The payload's side of the firmware: it runs at the payload's privilege level, as its thread. */
#include "agent/payload_calls.h"

#include <errno.h>

#include "agent/payload.h"
#include "agent/payload_fetch.h"
#include "agent/payload_output.h"
#include "agent/payload_run.h"
#include "agent/payload_threads.h"
#include "agent/record.h"
#include "lib/image.h"
#include "lib/platform.h"
#include "pmu/clock.h"

/* The payload's own memory, its stack, or what we gave it (argv). A fault while it is copied would
 * be ours. */
static bool is_readable(const void *bytes, uint64_t size)
{
	uint64_t address = (uint64_t)bytes, low, high;
	uint64_t image = address - (uint64_t)__image_start;
	uint64_t image_size = (uint64_t)(__image_end - __image_start);

	if (payload_owns(bytes, size) || (image < image_size && size <= image_size - image))
		return true;
	return arch_stack_bounds(address, &low, &high) && address < high && size <= high - address;
}

static int64_t call_write_to(uint32_t file, const void *bytes, uint64_t size)
{
	if (file != BAREPERF_STDOUT && file != BAREPERF_STDERR)
		return -EBADF;
	if (!is_readable(bytes, size))
		return -EFAULT;
	payload_output_write(file == BAREPERF_STDERR ? TR_STREAM_ERROR : TR_STREAM_OUT, bytes,
	                     size);
	return (int64_t)size;
}

static int64_t call_write(const void *bytes, uint64_t size)
{
	return call_write_to(BAREPERF_STDOUT, bytes, size);
}

static uint32_t call_cpu(void)
{
	return arch_cpu();
}

static void call_exit(int status)
{
	payload_leave(status, PAYLOAD_EXITED);
}

static void call_end(int status)
{
	payload_end_program(status);
}

static void call_wake(uint32_t cpu)
{
	if (cpu < arch_cpu_count())
		arch_cpu_wake(cpu);
	payload_leave_if_ending();
}

static int call_record(int on)
{
	payload_leave_if_ending();
	return record_switch(on);
}

void payload_calls_fill(struct bareperf_system *system)
{
	system->cpus = 1 + payload_threads_cpus();
	system->epoch = boot_entry()->epoch;
	system->write = call_write;
	system->write_to = call_write_to;
	system->offer_files = payload_fetch_offer;
	system->clock = clock_now;
	system->cpu = call_cpu;
	system->exit = call_exit;
	system->thread_start = payload_thread_start;
	system->thread_join = payload_thread_join;
	system->end = call_end;
	system->wake = call_wake;
	system->record = call_record;
}
