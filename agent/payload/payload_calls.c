/* SPDX-License-Identifier: MIT */
/* The functions that the payload calls. They run as the payload's thread, at its privilege level.
 */
#include "agent/payload/payload_calls.h"

#include <errno.h>
#include <string.h>

#include "agent/payload/payload.h"
#include "agent/payload/payload_fetch.h"
#include "agent/payload/payload_hooks.h"
#include "agent/payload/payload_memory.h"
#include "agent/payload/payload_output.h"
#include "agent/payload/payload_run.h"
#include "agent/payload/payload_threads.h"
#include "agent/record/record_regions.h"
#include "lib/image.h"
#include "lib/platform.h"
#include "pmu/clock/clock.h"
#include "pmu/mark.h"

/* Whether bytes may be read: they must be in the payload's memory, in its stack, or in our image
 * (argv). Otherwise a fault while they are copied would count as bareperf's own. */
static bool payload_calls_is_readable(const void *bytes, uint64_t size)
{
	uint64_t address = (uint64_t)bytes, low, high;
	uint64_t image = address - (uint64_t)__image_start;
	uint64_t image_size = (uint64_t)(__image_end - __image_start);

	if (payload_owns(bytes, size) || (image < image_size && size <= image_size - image))
		return true;
	return arch_stack_bounds(address, &low, &high) && address < high && size <= high - address;
}

static int64_t payload_call_write_to(uint32_t file, const void *bytes, uint64_t size)
{
	if (file != BAREPERF_STDOUT && file != BAREPERF_STDERR)
		return -EBADF;
	if (!payload_calls_is_readable(bytes, size))
		return -EFAULT;
	payload_output_write(file == BAREPERF_STDERR ? TR_STREAM_ERROR : TR_STREAM_OUT, bytes,
	                     size);
	return (int64_t)size;
}

static int64_t payload_call_write(const void *bytes, uint64_t size)
{
	return payload_call_write_to(BAREPERF_STDOUT, bytes, size);
}

static uint32_t payload_call_cpu(void)
{
	return arch_cpu();
}

static void payload_call_exit(int status)
{
	payload_leave(status, PAYLOAD_EXITED);
}

static void payload_call_end(int status)
{
	payload_end_program(status);
}

static void payload_call_wake(uint32_t cpu)
{
	if (cpu < arch_cpu_count())
		arch_cpu_wake(cpu);
	payload_leave_if_ending();
}

/* ---- Marks ---- */

static enum payload_marks marks_wanted;

/* A mark's caller passes a struct bareperf_marks: the member `calls` of its CPU's struct mark_cpu
 * (pmu/mark.h), so the other members are found from it. A mark must begin in the payload's image,
 * because marks are constants, and at least the longest mark's size before the image's end: image
 * and size there say where. */
_Static_assert(sizeof(struct bareperf_marks) == sizeof(mark_cpus[0].calls), "bareperf_marks");

static inline const struct mark_cpu *payload_calls_mark_cpu_of(const struct bareperf_marks *calls)
{
	return (const struct mark_cpu *)(const void *)calls;
}

/* Whether a mark of this size has raw data of whole 64-bit words, with the size in the first four
 * bytes, and not too many of them. */
static inline bool payload_calls_is_size(uint32_t size)
{
	uint32_t room = size - 12; /* beyond the smallest size */

	return (room >> 3 | room << 29) <= MARK_TEXT - 2 + (1 + MARK_ROOM) * MARK_VALUES;
}

static inline bool payload_calls_may_look(const struct mark_cpu *cpu,
                                          const struct bareperf_mark *mark)
{
	return (uint64_t)mark - cpu->image < cpu->size;
}

/* This is bareperf's code, so a thread is not ended inside it: payload_run_may_end(). It is
 * inlined, so each caller's number of values is a constant and the values stay in registers. For
 * texts of two or three words, which most are, the sizes are constants, too. */
static __attribute__((always_inline)) inline void
payload_calls_mark_with(const struct bareperf_marks *calls, const struct bareperf_mark *mark,
                        uint32_t values, uint64_t a, uint64_t b, uint64_t c, uint64_t d)
{
	const uint32_t own = sizeof(mark->size), two = 16 + 8 * (1 + MARK_ROOM) * values;
	const uint64_t value[MARK_VALUES] = { a, b, c, d };
	struct perf_event *event = payload_calls_mark_cpu_of(calls)->event;
	const uint64_t *raw = (const uint64_t *)(const void *)mark;
	uint64_t ip = (uint64_t)__builtin_return_address(0);
	uint32_t size;

	if (!event || !payload_calls_may_look(payload_calls_mark_cpu_of(calls), mark))
		return;
	size = mark->size;
	if (size == two - own && mark_put(event, ip, raw, two, values, value))
		return;
	if (size == two + 8 - own && mark_put(event, ip, raw, two + 8, values, value))
		return;
	if (size >= two - own && payload_calls_is_size(size)) {
		const uint64_t kept[MARK_VALUES] = { a, b, c, d }, *any = values ? kept : NULL;

		if (!mark_put(event, ip, raw, size + own, values, any))
			mark_put_slow(event, ip, raw, size + own, values, any);
	}
}

static void payload_call_mark_0(const struct bareperf_marks *calls,
                                const struct bareperf_mark *mark)
{
	payload_calls_mark_with(calls, mark, 0, 0, 0, 0, 0);
}

static void payload_call_mark_1(const struct bareperf_marks *calls,
                                const struct bareperf_mark *mark, uint64_t a)
{
	payload_calls_mark_with(calls, mark, 1, a, 0, 0, 0);
}

static void payload_call_mark_2(const struct bareperf_marks *calls,
                                const struct bareperf_mark *mark, uint64_t a, uint64_t b)
{
	payload_calls_mark_with(calls, mark, 2, a, b, 0, 0);
}

static void payload_call_mark_3(const struct bareperf_marks *calls,
                                const struct bareperf_mark *mark, uint64_t a, uint64_t b,
                                uint64_t c)
{
	payload_calls_mark_with(calls, mark, 3, a, b, c, 0);
}

static void payload_call_mark_4(const struct bareperf_marks *calls,
                                const struct bareperf_mark *mark, uint64_t a, uint64_t b,
                                uint64_t c, uint64_t d)
{
	payload_calls_mark_with(calls, mark, 4, a, b, c, d);
}

static const struct bareperf_marks recorded = {
	payload_call_mark_0, payload_call_mark_1, payload_call_mark_2,
	payload_call_mark_3, payload_call_mark_4,
};

/* Marks "begin NAME" and "end NAME". The counters are read at the outer edge of both, so that a
 * region contains the least overhead. Marks without a NAME measure that overhead, and are not
 * counted as events. */
static void payload_calls_mark_counted(const struct bareperf_marks *calls,
                                       const struct bareperf_mark *mark)
{
	static const char begin[] = "begin ", end[] = "end ";
	struct perf_event *event = payload_calls_mark_cpu_of(calls)->event;
	const char *text, *limit, *name = NULL;
	uint32_t size;
	bool ends;

	if (!payload_calls_may_look(payload_calls_mark_cpu_of(calls), mark))
		return;
	size = mark->size;
	if (!payload_calls_is_size(size))
		return;
	limit = mark->text + size;
	text = mark->text + ((unsigned char)mark->text[0] <= MARK_VALUES);
	ends = !memcmp(text, end, sizeof(end) - 1);
	if (ends)
		name = text + sizeof(end) - 1;
	else if (!memcmp(text, begin, sizeof(begin) - 1))
		name = text + sizeof(begin) - 1;
	if (ends)
		regions_end(name, (size_t)(limit - name));
	if (event && (!name || *name))
		arch_add_local(&event->count, 1);
	if (name && !ends)
		regions_begin(name, (size_t)(limit - name));
}

static void payload_call_count_1(const struct bareperf_marks *calls,
                                 const struct bareperf_mark *mark, uint64_t a)
{
	(void)a;
	payload_calls_mark_counted(calls, mark);
}

static void payload_call_count_2(const struct bareperf_marks *calls,
                                 const struct bareperf_mark *mark, uint64_t a, uint64_t b)
{
	(void)a, (void)b;
	payload_calls_mark_counted(calls, mark);
}

static void payload_call_count_3(const struct bareperf_marks *calls,
                                 const struct bareperf_mark *mark, uint64_t a, uint64_t b,
                                 uint64_t c)
{
	(void)a, (void)b, (void)c;
	payload_calls_mark_counted(calls, mark);
}

static void payload_call_count_4(const struct bareperf_marks *calls,
                                 const struct bareperf_mark *mark, uint64_t a, uint64_t b,
                                 uint64_t c, uint64_t d)
{
	(void)a, (void)b, (void)c, (void)d;
	payload_calls_mark_counted(calls, mark);
}

static const struct bareperf_marks counted = {
	payload_calls_mark_counted, payload_call_count_1, payload_call_count_2,
	payload_call_count_3,       payload_call_count_4,
};

void payload_calls_mark(enum payload_marks wanted)
{
	uint64_t size, image = (uint64_t)payload_memory(&size);

	marks_wanted = wanted;
	for (unsigned cpu = 0; cpu < TR_MAX_CPUS; cpu++) {
		memcpy(mark_cpus[cpu].calls, wanted == MARKS_RECORDED ? &recorded : &counted,
		       sizeof(mark_cpus[cpu].calls));
		mark_cpus[cpu].image = image;
		mark_cpus[cpu].size = size > MARK_SIZE_MAX ? size - MARK_SIZE_MAX : 0;
	}
}

static const struct bareperf_marks *payload_call_marks(void)
{
	const void *calls = mark_cpus[arch_cpu()].calls;

	return marks_wanted == MARKS_UNWANTED ? NULL : calls;
}

static int payload_call_record(int on)
{
	payload_leave_if_ending();
	return payload_hooks->record(on);
}

void payload_calls_fill(struct bareperf_system *system)
{
	system->cpus = 1 + payload_threads_cpus();
	system->epoch = boot_entry()->epoch;
	system->write = payload_call_write;
	system->write_to = payload_call_write_to;
	system->offer_files = payload_fetch_offer;
	system->clock = clock_now;
	system->cpu = payload_call_cpu;
	system->exit = payload_call_exit;
	system->thread_start = payload_thread_start;
	system->thread_join = payload_thread_join;
	system->end = payload_call_end;
	system->wake = payload_call_wake;
	system->record = payload_call_record;
	system->counts_regions = marks_wanted == MARKS_COUNTED;
	system->marks = payload_call_marks;
}
