/* SPDX-License-Identifier: MIT */
/* Counters are read last when a region begins and first when it ends, by the same code. So the
 * overhead between the two readings is always the same. */
#include "agent/record/record_regions.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/print.h"
#include "pmu/clock/clock.h"
#include "pmu/mark.h"
#include "pmu/timer.h"

/* The calibration of the timer interrupt: a turn is about 6,000 instructions, so most turns have no
 * interrupt. LEARN_TURNS limits the turns for a program that masks interrupts. */
#define SPINS       2000U
#define LEARN_TURNS 4096U
#define LEARN_TIMES 4U

#define TEXT_MAX (REGION_NAME + 24U * (REGION_SUMS + 2))

static struct mark_regions *regions_here[ARCH_MAX_CPUS];

static bool record_regions_counts_marks(const struct perf_event *event)
{
	return mark_is_event(&event->attr) && !event->attr.sample_period;
}

static struct perf_event *record_regions_marks_of(const struct traced_cpu *c)
{
	for (unsigned i = 0; i < c->recording->nr_events; i++) {
		if (record_regions_counts_marks(&c->events[i]))
			return &c->events[i];
	}
	return NULL;
}

int regions_open(struct traced_cpu *c)
{
	struct mark_regions *m;

	if (!record_regions_marks_of(c))
		return 0;
	m = calloc(1, sizeof(*m));
	if (!m)
		return -ENOMEM;
	m->events = c->events;
	m->nr_events = c->recording->nr_events;
	memset(m->empty, 0xff, sizeof(m->empty));
	c->regions = regions_here[c->cpu] = m;
	return 0;
}

void regions_close(struct traced_cpu *c)
{
	if (c->regions)
		regions_here[c->cpu] = NULL;
	free(c->regions);
	c->regions = NULL;
}

/* ---- From mark to mark ---- */

static bool record_regions_is_counting(const struct perf_event *event)
{
	return event->state == EVENT_ACTIVE && event->pmu->peek;
}

static inline void regions_look(const struct mark_regions *m, uint64_t to[REGION_SUMS])
{
	for (unsigned i = 0; i < m->nr_events; i++) {
		to[i] = record_regions_is_counting(&m->events[i])
		            ? m->events[i].pmu->peek(&m->events[i])
		            : m->events[i].count;
		to[i] -= m->left_out[i];
	}
	to[REGION_SUMS - 1] = clock_now();
}

static inline uint64_t regions_handlers(void)
{
	return __atomic_load_n(&timer_interrupts[arch_cpu()], __ATOMIC_RELAXED);
}

/* As regions_look(), repeated until no timer interrupt came in between. Returns the number of timer
 * interrupts so far. */
static inline uint64_t regions_look_between(const struct mark_regions *m, uint64_t to[REGION_SUMS])
{
	uint64_t handlers;

	do {
		handlers = regions_handlers();
		__atomic_signal_fence(__ATOMIC_SEQ_CST);
		regions_look(m, to);
		__atomic_signal_fence(__ATOMIC_SEQ_CST);
	} while (handlers != regions_handlers());
	return handlers;
}

/* Leave out of each event's total its count since from[]. The timer interrupts since then do not
 * count for any open region. */
static void record_regions_leave_out(struct mark_regions *m, const uint64_t *from,
                                     uint64_t handlers)
{
	uint64_t to[REGION_SUMS], more = regions_look_between(m, to) - handlers;

	for (unsigned i = 0; i < m->nr_events; i++)
		m->left_out[i] += to[i] - from[i];
	for (unsigned i = 0; i < m->depth; i++)
		m->open[i].handlers += more;
}

static bool record_regions_is_named(const char *mine, const char *name, size_t size)
{
	return size < REGION_NAME && !memcmp(mine, name, size) && !mine[size];
}

/* The region's number, or REGION_MOST if there is no room for one more. */
static unsigned record_regions_find_region(struct mark_regions *m, const char *name, size_t size)
{
	unsigned i = 0;

	while (i < m->nr_regions && !record_regions_is_named(m->regions[i].name, name, size))
		i++;
	if (i == m->nr_regions && i < REGION_MOST && size < REGION_NAME) {
		memcpy(m->regions[i].name, name, size);
		m->nr_regions++;
	}
	return i < m->nr_regions ? i : REGION_MOST;
}

void regions_begin(const char *name, size_t room)
{
	struct mark_regions *m = regions_here[arch_cpu()];
	unsigned region, depth = REGION_DEPTH;
	size_t size;

	if (!m || m->busy)
		return;
	m->busy = true;
	size = strnlen(name, room);
	if (!size)
		depth += REGION_ASIDE;
	region = record_regions_find_region(m, name, size);
	if (region == REGION_MOST || m->depth >= depth) {
		m->unmatched++;
		m->busy = false;
		return;
	}
	if (!size && !m->aside) {
		m->aside_handlers = regions_look_between(m, m->aside_from);
		m->aside = m->depth + 1;
	}
	m->open[m->depth++].region = region;
	m->busy = false;
	m->open[m->depth - 1].handlers = regions_look_between(m, m->open[m->depth - 1].at);
}

/* Keep the least counts of an empty region: an interrupt can only make them larger. */
static void record_regions_learn_empty(struct mark_regions *m, const uint64_t *at)
{
	for (unsigned i = 0; i < REGION_SUMS; i++) {
		bool counts = i == REGION_SUMS - 1 ||
		              (i < m->nr_events && record_regions_is_counting(&m->events[i]));

		if (counts && m->now[i] - at[i] < m->empty[i])
			m->empty[i] = m->now[i] - at[i];
	}
}

static __attribute__((noinline)) void record_regions_spin(void)
{
	for (unsigned i = 0; i < SPINS; i++)
		__asm__ volatile("");
}

/* Measure the same code with a timer interrupt in it and without one: the difference is the
 * handler's overhead. */
static void record_regions_learn_handler(struct mark_regions *m)
{
	uint64_t at[REGION_SUMS], to[REGION_SUMS], with[REGION_SUMS], without[REGION_SUMS];
	uint64_t from[REGION_SUMS], handlers_before = regions_look_between(m, from);
	unsigned found = 0;

	memset(with, 0xff, sizeof(with));
	memset(without, 0xff, sizeof(without));
	for (unsigned turn = 0; turn < LEARN_TURNS && found < LEARN_TIMES; turn++) {
		uint64_t before = regions_look_between(m, at), *least, handlers;

		record_regions_spin();
		handlers = regions_look_between(m, to) - before;
		least = handlers ? with : without;
		for (unsigned i = 0; i < m->nr_events && handlers <= 1; i++)
			least[i] = to[i] - at[i] < least[i] ? to[i] - at[i] : least[i];
		found += handlers == 1;
	}
	for (unsigned i = 0; i < m->nr_events; i++)
		m->handler[i] = with[i] != UINT64_MAX && with[i] > without[i] ? with[i] - without[i]
		                                                              : 0;
	m->learned = true;
	if (!m->aside)
		record_regions_leave_out(m, from, handlers_before);
}

static bool record_regions_any_counts(const struct mark_regions *m)
{
	unsigned i = 0;

	while (i < m->nr_events && !record_regions_is_counting(&m->events[i]))
		i++;
	return i < m->nr_events;
}

void regions_learn(void)
{
	struct mark_regions *m = regions_here[arch_cpu()];

	if (m && !m->learned && record_regions_any_counts(m))
		record_regions_learn_handler(m);
}

static void record_regions_add_up(struct mark_regions *m, unsigned region, unsigned open)
{
	uint64_t handlers = m->handlers - m->open[open].handlers;

	m->regions[region].calls++;
	for (unsigned i = 0; i < REGION_SUMS; i++) {
		uint64_t count = m->now[i] - m->open[open].at[i];
		uint64_t empty = m->empty[i] == UINT64_MAX ? 0 : m->empty[i];

		empty += handlers * m->handler[i];
		m->regions[region].sums[i] += count > empty ? count - empty : 0;
	}
}

/* Regions inside this one that have not ended are dropped, and counted as unmatched. */
void regions_end(const char *name, size_t room)
{
	struct mark_regions *m = regions_here[arch_cpu()];
	size_t size;
	unsigned i;

	if (!m || m->busy)
		return;
	m->busy = true;
	m->handlers = regions_handlers();
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	regions_look(m, m->now);
	size = strnlen(name, room);
	for (i = m->depth; i; i--) {
		if (record_regions_is_named(m->regions[m->open[i - 1].region].name, name, size))
			break;
	}
	m->unmatched += i ? m->depth - i : 1;
	if (i && !size)
		record_regions_learn_empty(m, m->open[i - 1].at);
	else if (i)
		record_regions_add_up(m, m->open[i - 1].region, i - 1);
	regions_learn();
	m->depth = i ? i - 1 : m->depth;
	if (m->aside > m->depth) {
		record_regions_leave_out(m, m->aside_from, m->aside_handlers);
		m->aside = 0;
	}
	m->busy = false;
}

/* ---- Results ---- */

static unsigned record_regions_put_counts(const struct mark_regions *m, const uint64_t *sums,
                                          char *to, unsigned room)
{
	unsigned length = 0;

	for (unsigned i = 0; i < m->nr_events && length < room; i++) {
		const char *comma = i ? "," : "";

		if (m->events[i].pmu->peek)
			print_text(to + length, room - length, "%s%lu", comma, sums[i]);
		else
			print_text(to + length, room - length, "%s-", comma);
		length += (unsigned)strlen(to + length);
	}
	return length;
}

void regions_report(struct traced_cpu *c)
{
	const struct mark_regions *m = c->regions;
	struct perf_event *event = record_regions_marks_of(c);
	char text[TEXT_MAX];

	for (unsigned i = 0; m && i < m->nr_events; i++)
		m->events[i].count -= m->left_out[i]; /* stopped: nobody else changes it */
	for (unsigned i = 0; m && i < m->nr_regions; i++) {
		unsigned length;

		if (!m->regions[i].calls)
			continue;
		print_text(text, sizeof(text), "region %lu %lu ", m->regions[i].calls,
		           m->regions[i].sums[REGION_SUMS - 1]);
		length = (unsigned)strlen(text);
		length += record_regions_put_counts(m, m->regions[i].sums, text + length,
		                                    TEXT_MAX - length);
		print_text(text + length, TEXT_MAX - length, " %s", m->regions[i].name);
		mark_report(event, text);
	}
	if (m && m->unmatched) {
		print_text(text, sizeof(text), "unmatched %lu", m->unmatched);
		mark_report(event, text);
	}
}
