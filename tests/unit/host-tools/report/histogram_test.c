/* SPDX-License-Identifier: MIT */
/* Samples sorted by common properties, and the commands of their threads. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "host-tools/report/histogram.h"
#include "host-tools/report/tasks.h"

#define MANY 100000U

static struct histogram histogram;
static struct tasks tasks;

static int teardown(void **state)
{
	(void)state;
	histogram_free(&histogram);
	tasks_free(&tasks);
	return 0;
}

static void equal_keys_are_one_entry(void **state)
{
	struct histogram_key leaf = { .command = "a", .function = "leaf", .level = '.' };
	struct histogram_key kernel = leaf;

	(void)state;
	kernel.level = 'k';
	assert_int_equal(histogram_add(&histogram, &leaf, 3), 0);
	assert_int_equal(histogram_add(&histogram, &kernel, 9), 0);
	assert_int_equal(histogram_add(&histogram, &leaf, 4), 0);
	histogram_sort(&histogram);
	assert_int_equal(histogram.count, 2);
	assert_int_equal(histogram.weight, 16);
	assert_int_equal(histogram.samples, 3);
	assert_int_equal(histogram.entries[0].key.level, 'k');
	assert_int_equal(histogram.entries[1].weight, 7);
	assert_int_equal(histogram.entries[1].samples, 2);
}

/* The table grows several times, and finds every key again. */
static void many_entries_are_all_kept(void **state)
{
	struct histogram_key key = { .command = "a" };

	(void)state;
	for (unsigned turn = 0; turn < 2; turn++) {
		for (key.address = 0; key.address < MANY; key.address++)
			assert_int_equal(histogram_add(&histogram, &key, key.address), 0);
	}
	assert_int_equal(histogram.count, MANY);
	histogram_sort(&histogram);
	for (uint64_t i = 0; i < MANY; i++) {
		assert_int_equal(histogram.entries[i].key.address, MANY - 1 - i);
		assert_int_equal(histogram.entries[i].weight, 2 * (MANY - 1 - i));
		assert_int_equal(histogram.entries[i].samples, 2);
	}
}

static void equal_weights_are_sorted_by_their_texts(void **state)
{
	static const char *const names[] = { "c", "a", NULL, "b" };

	(void)state;
	for (unsigned i = 0; i < 4; i++)
		histogram_add(&histogram, &(struct histogram_key){ .function = names[i] }, 1);
	histogram_sort(&histogram);
	assert_null(histogram.entries[0].key.function);
	assert_string_equal(histogram.entries[1].key.function, "a");
	assert_string_equal(histogram.entries[3].key.function, "c");
}

static void an_empty_one_sorts(void **state)
{
	(void)state;
	histogram_sort(&histogram);
	assert_int_equal(histogram.count, 0);
}

static int tell_command(uint32_t tid, const char *text)
{
	uint64_t words[6] = { 0 };
	struct perf_event_header *record = (struct perf_event_header *)words;
	uint32_t *fields = (uint32_t *)(record + 1);

	record->type = PERF_RECORD_COMM;
	record->size = sizeof(words);
	fields[1] = tid;
	memcpy(&fields[2], text, strlen(text));
	return tasks_add(&tasks, record);
}

static void a_thread_has_its_last_command(void **state)
{
	const char *first;

	(void)state;
	assert_string_equal(tasks_command(&tasks, 7), ":7");
	assert_int_equal(tell_command(7, "one"), 0);
	first = tasks_command(&tasks, 7);
	assert_string_equal(first, "one");
	assert_int_equal(tell_command(7, "other"), 0);
	assert_string_equal(tasks_command(&tasks, 7), "other");
	assert_string_equal(first, "one");
	assert_int_equal(tell_command(8, "one"), 0);
	assert_ptr_equal(tasks_command(&tasks, 8), first);
}

static void a_thread_begins_with_its_parents_command(void **state)
{
	uint64_t words[4] = { 0 };
	struct perf_event_header *record = (struct perf_event_header *)words;
	uint32_t *fields = (uint32_t *)(record + 1);

	(void)state;
	tell_command(1, "parent");
	record->type = PERF_RECORD_FORK;
	record->size = sizeof(words);
	fields[2] = 2;
	fields[3] = 1;
	assert_int_equal(tasks_add(&tasks, record), 0);
	assert_string_equal(tasks_command(&tasks, 2), "parent");
	tell_command(1, "changed");
	assert_string_equal(tasks_command(&tasks, 2), "parent");
	record->size = 16; /* too short to have a thread */
	fields[2] = 3;
	assert_int_equal(tasks_add(&tasks, record), 0);
	assert_string_equal(tasks_command(&tasks, 3), ":3");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(equal_keys_are_one_entry, teardown),
		cmocka_unit_test_teardown(many_entries_are_all_kept, teardown),
		cmocka_unit_test_teardown(equal_weights_are_sorted_by_their_texts, teardown),
		cmocka_unit_test_teardown(an_empty_one_sorts, teardown),
		cmocka_unit_test_teardown(a_thread_has_its_last_command, teardown),
		cmocka_unit_test_teardown(a_thread_begins_with_its_parents_command, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
