/* SPDX-License-Identifier: MIT */
/* Four CPUs mark, each into its ring, while one reader takes the marks: under TSan. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "tests/unit/pmu/mark_rig.h"

#define CPUS  4U
#define MARKS 30000U

static struct world {
	struct ring ring;
	struct mark_rig rig;
	uint64_t expected, wrong;
	bool over; /* its writer has ended. Released */
} worlds[CPUS];

static void begin_world(unsigned cpu)
{
	struct world *w = &worlds[cpu];

	w->rig.event.attr.sample_period = 1;
	w->rig.event.cpu = cpu;
	w->rig.event.account.id = 1 + cpu;
	mark_rig_begin(&w->rig, &w->ring);
}

static void put(struct perf_event *event, const uint64_t *text, const uint64_t *values)
{
	if (!mark_put(event, 1, text, 64, 2, values))
		mark_put_slow(event, 1, text, 64, 2, values);
}

static void *write_marks(void *argument)
{
	static const _Alignas(8) char text[16] = "\74\0\0\0\2cpu %u %u";
	struct world *w = argument;

	for (uint64_t i = 0; i < MARKS; i++)
		put(mark_cpus[w->rig.event.cpu].event, (const uint64_t *)(const void *)text,
		    (const uint64_t[MARK_VALUES]){ w->rig.event.cpu, i });
	__atomic_store_n(&w->over, true, __ATOMIC_RELEASE);
	return NULL;
}

/* Numbers ascend; each missing one was lost. */
static void look_at(void *context, const char *text)
{
	unsigned cpu = CPUS, number = 0;
	struct world *w = context;

	if (sscanf(text, "cpu %u %u", &cpu, &number) != 2 || cpu != w->rig.event.cpu ||
	    number < w->expected)
		w->wrong++;
	w->expected = number + 1ULL;
}

static void drain(struct world *w)
{
	mark_rig_drain(&w->rig, look_at, w);
}

static void marks_of_four_cpus_are_all_read_or_counted_as_lost(void **state)
{
	pthread_t threads[CPUS];
	unsigned left;

	(void)state;
	for (unsigned i = 0; i < CPUS; i++)
		begin_world(i);
	for (unsigned i = 0; i < CPUS; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, write_marks, &worlds[i]), 0);
	do {
		left = 0;
		for (unsigned i = 0; i < CPUS; i++) {
			left += !__atomic_load_n(&worlds[i].over, __ATOMIC_ACQUIRE);
			drain(&worlds[i]);
		}
	} while (left);
	for (unsigned i = 0; i < CPUS; i++) {
		struct world *w = &worlds[i];

		pthread_join(threads[i], NULL);
		pmu_marks.stop(&w->rig.event);
		ring_report_lost(&w->ring, &w->rig.event.account);
		drain(w);
		assert_int_equal(w->wrong + w->rig.damaged, 0);
		assert_false(w->rig.broken);
		assert_int_equal(w->rig.event.account.generated, MARKS);
		assert_int_equal(w->rig.event.account.written, w->rig.delivered);
		assert_int_equal(w->rig.event.account.lost, w->rig.reported);
		assert_int_equal(w->rig.delivered + w->rig.reported, MARKS);
		assert_true(w->rig.delivered > 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(marks_of_four_cpus_are_all_read_or_counted_as_lost),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
