/* SPDX-License-Identifier: MIT */
#include "pmu/software/marks.h"

#include <errno.h>

#include "pmu/mark.h"
#include "pmu/usual_sample.h"

struct mark_cpu mark_cpus[TR_MAX_CPUS];

static const struct pmu_event_name marks_events[] = {
	{ "marks", PERF_COUNT_SW_BPF_OUTPUT, "marks of the program: bareperf_mark()" },
	{ NULL, 0, NULL },
};

static int marks_probe(const char **why)
{
	*why = NULL;
	return 0;
}

/* Either each mark is recorded, or, if marks are only counted, none is. No callchains: the
 * program's author knows where a mark is. */
static int marks_event_init(struct perf_event *event)
{
	struct perf_event_attr *attr = &event->attr;

	if (!mark_is_event(attr))
		return -ENOENT;
	if (attr->sample_type & PERF_SAMPLE_READ) {
		event->why = "marks do not carry the counts of a group: :S";
		return -EOPNOTSUPP;
	}
	if (attr->sample_period)
		attr->sample_period = 1;
	attr->flags &= ~(uint64_t)PERF_ATTR_FREQ;
	attr->sample_type = MARK_TYPES;
	return 0;
}

static int marks_add(struct perf_event *event)
{
	return mark_cpus[event->cpu].event ? -EBUSY : 0;
}

static void marks_del(struct perf_event *event)
{
	(void)event; /* marks_stop() has done it */
}

static void marks_start(struct perf_event *event)
{
	usual_sample_prepare(event); /* not done beside an AUX event */
	event->usual.header = sample_pair(PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);
	__atomic_store_n(&mark_cpus[event->cpu].event, event, __ATOMIC_RELAXED);
}

/* The ring's account knows the number of marks, each of period 1, so a mark need not count itself.
 * A mark may be under way when its event is stopped, so this reads in any state. */
static void marks_read(struct perf_event *event)
{
	if (!event->attr.sample_period)
		return;
	event->count = event->sampled = event->account.period =
	    ring_load(&event->account.generated);
	event->account.period_lost = ring_load(&event->account.lost);
}

void mark_put_slow(struct perf_event *event, uint64_t ip, const uint64_t *raw, uint32_t bytes,
                   uint32_t values, const uint64_t *value)
{
	uint64_t time = clock_here(event->cpu);
	uint64_t *slow = &mark_cpus[event->cpu].slow, *at;
	struct ring_output out;

	arch_add_local(slow, 1);
	ring_barrier();
	at = ring_reserve(&out, event->ring, &event->account, MARK_HEAD + bytes);
	if (at) {
		mark_build(event, at, MARK_HEAD + bytes, ip, time, raw, values, value);
		out.sample = true;
		ring_commit(&out);
	}
	ring_barrier();
	arch_add_local(slow, -1);
}

/* Writes a text that is no constant as RAW, like a mark, but without counting a period. */
void mark_report(struct perf_event *event, const char *text)
{
	uint64_t raw[2] = { 0 }, *at;
	uint32_t length = 0, bytes;
	struct ring_output out;

	while (text[length])
		length++;
	bytes = (uint32_t)(sizeof(uint32_t) + length + 1 + 7) & ~7U;
	bytes = bytes < sizeof(raw) ? sizeof(raw) : bytes;
	at = ring_reserve(&out, event->ring, &event->account, MARK_HEAD + bytes);
	if (!at)
		return;
	mark_build(event, at, MARK_HEAD + sizeof(raw), 0, clock_here(event->cpu), raw, 0, NULL);
	at[0] = event->usual.header | (uint64_t)(MARK_HEAD + bytes) << 48;
	at[6] = 0;
	at += MARK_HEAD / 8;
	for (uint32_t i = 0; i < bytes / 8; i++)
		at[i] = 0;
	*(uint32_t *)at = (uint32_t)(bytes - sizeof(uint32_t));
	for (uint32_t i = 0; i < length; i++)
		((char *)at)[sizeof(uint32_t) + i] = text[i];
	ring_commit(&out);
}

static void marks_stop(struct perf_event *event)
{
	__atomic_store_n(&mark_cpus[event->cpu].event, NULL, __ATOMIC_RELAXED);
	marks_read(event);
}

const struct pmu pmu_marks = {
	.source.name = "marks",
	.source.description = "marks of the program",
	.source.type = PERF_TYPE_SOFTWARE,
	.source.flags = PMU_EVERY | PMU_LATE,
	.source.config = PERF_COUNT_SW_BPF_OUTPUT,
	.source.events = marks_events,
	.probe = marks_probe,
	.event_init = marks_event_init,
	.add = marks_add,
	.del = marks_del,
	.start = marks_start,
	.stop = marks_stop,
	.read = marks_read,
};
