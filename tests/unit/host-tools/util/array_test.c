/* SPDX-License-Identifier: MIT */
/* Arrays that grow. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>

#include "host-tools/util/array.h"

struct entry {
	uint32_t cpu;
	uint64_t value;
};

static void an_array_that_reaches_a_number_has_zeros_and_keeps_its_values(void **state)
{
	uint32_t room = 0;
	uint64_t *array = array_reach(NULL, &room, 0, sizeof(*array));

	(void)state;
	assert_non_null(array);
	assert_int_equal(room, 256);
	array[255] = 7;
	assert_ptr_equal(array_reach(array, &room, 255, sizeof(*array)), array);
	assert_int_equal(room, 256);
	array = array_reach(array, &room, 256, sizeof(*array));
	assert_non_null(array);
	assert_int_equal(room, 512);
	assert_int_equal(array[255], 7);
	for (uint32_t i = 256; i < room; i++)
		assert_int_equal(array[i], 0);
	array = array_reach(array, &room, 5000, sizeof(*array));
	assert_non_null(array);
	assert_int_equal(room, 8192);
	free(array);
}

static void a_number_beyond_32_bits_of_room_is_refused(void **state)
{
	uint32_t room = 0;

	(void)state;
	assert_null(array_reach(NULL, &room, 1U << 31, 1));
	assert_int_equal(room, 0);
}

static void the_pointer_at_an_array_is_set_where_it_could_grow(void **state)
{
	uint64_t *array = NULL, *numbered = NULL;
	uint32_t room = 0;

	(void)state;
	for (uint64_t i = 0; i < 1000; i++) {
		assert_true(ARRAY_ROOM(array, i));
		assert_true(ARRAY_REACH(numbered, room, (uint32_t)i));
		array[i] = numbered[i] = i * i; /* the sanitizer checks the size */
	}
	assert_false(ARRAY_REACH(numbered, room, UINT32_MAX));
	assert_int_equal(room, 1024);
	for (uint64_t i = 0; i < 1000; i++)
		assert_true(array[i] == i * i && numbered[i] == i * i);
	free(array);
	free(numbered);
}

static void each_cpu_has_one_entry(void **state)
{
	uint32_t count = 0, number;
	struct entry *entries = NULL;

	(void)state;
	for (uint32_t round = 0; round < 2; round++) {
		for (uint32_t cpu = 0; cpu < 9; cpu++) {
			entries =
			    array_of_cpu(entries, &count, sizeof(*entries), 100 - cpu, &number);
			assert_non_null(entries);
			assert_int_equal(number, cpu);
			assert_int_equal(entries[number].cpu, 100 - cpu);
			assert_int_equal(entries[number].value, round ? cpu : 0);
			entries[number].value = cpu;
		}
	}
	assert_int_equal(count, 9);
	free(entries);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_array_that_reaches_a_number_has_zeros_and_keeps_its_values),
		cmocka_unit_test(a_number_beyond_32_bits_of_room_is_refused),
		cmocka_unit_test(the_pointer_at_an_array_is_set_where_it_could_grow),
		cmocka_unit_test(each_cpu_has_one_entry),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
