/* SPDX-License-Identifier: MIT */
/* Four CPUs mark, each into its ring, while one reader takes what there is: under TSan. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "host-tools/perfdata/mark_text.h"
#include "pmu/mark.h"
#include "pmu/software/marks.h"
#include "ringbuf/reader/ring_reader.h"

#define CPUS       4U
#define RING_SIZE  TR_PAGE
#define MAX_RECORD 1024U
#define MARKS      30000U

static struct world {
	struct ring ring;
	struct perf_event event;
	struct perf_event_mmap_page control;
	_Alignas(8) uint8_t data[RING_SIZE];
	uint64_t scratch[RING_LEVELS * MAX_RECORD / 8];
	struct ring_reader reader;
	uint64_t delivered, told, expected, wrong;
	bool over; /* its writer is. Released */
} worlds[CPUS];

static void begin_world(unsigned cpu)
{
	struct world *w = &worlds[cpu];

	ring_init(&w->ring, &(struct ring_config){ .control = &w->control,
	                                           .data = w->data,
	                                           .size = RING_SIZE,
	                                           .max_record = MAX_RECORD,
	                                           .scratch = w->scratch });
	ring_reader_init(&w->reader, &w->control, w->data, RING_SIZE, 0);
	w->event.attr.type = PERF_TYPE_SOFTWARE;
	w->event.attr.config = PERF_COUNT_SW_BPF_OUTPUT;
	w->event.attr.sample_period = 1;
	w->event.pmu = &pmu_marks;
	w->event.cpu = cpu;
	w->event.ring = &w->ring;
	w->event.account.id = 1 + cpu;
	assert_int_equal(pmu_marks.event_init(&w->event), 0);
	assert_int_equal(pmu_marks.add(&w->event), 0);
	event_set_state(&w->event, EVENT_ACTIVE, 0);
	pmu_marks.start(&w->event);
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
		put(mark_cpus[w->event.cpu].event, (const uint64_t *)(const void *)text,
		    (const uint64_t[MARK_VALUES]){ w->event.cpu, i });
	__atomic_store_n(&w->over, true, __ATOMIC_RELEASE);
	return NULL;
}

/* Numbers ascend; each that is not there is lost. */
static void read_mark(struct world *w, struct perf_event_header *record)
{
	unsigned cpu = CPUS, number = 0;
	struct sample sample;
	char text[MARK_TEXT_MAX];

	mark_text_put(record, &w->event.attr);
	if (!sample_parse(record, w->event.attr.sample_type, 0, &sample) ||
	    !mark_text_get(&sample, text, sizeof(text)) ||
	    sscanf(text, "cpu %u %u", &cpu, &number) != 2 || cpu != w->event.cpu ||
	    number < w->expected || sample.cpu != cpu || sample.id != 1 + cpu)
		w->wrong++;
	w->expected = number + 1ULL;
	w->delivered++;
}

static void drain(struct world *w)
{
	const struct perf_event_header *record;
	int code;

	ring_reader_refresh(&w->reader);
	while ((code = ring_reader_next(&w->reader, &record)) > 0) {
		if (record->type == PERF_RECORD_LOST)
			w->told += ((const uint64_t *)(const void *)record)[2];
		else
			read_mark(w, (void *)w->reader.scratch);
	}
	w->wrong += code < 0;
	ring_reader_release(&w->reader);
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
		pmu_marks.stop(&w->event);
		ring_report_lost(&w->ring, &w->event.account);
		drain(w);
		assert_int_equal(w->wrong, 0);
		assert_int_equal(w->event.account.generated, MARKS);
		assert_int_equal(w->event.account.written, w->delivered);
		assert_int_equal(w->event.account.lost, w->told);
		assert_int_equal(w->delivered + w->told, MARKS);
		assert_true(w->delivered > 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(marks_of_four_cpus_are_all_read_or_counted_as_lost),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
