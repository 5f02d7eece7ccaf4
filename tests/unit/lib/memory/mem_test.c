/* SPDX-License-Identifier: MIT */
/* lib/memory/mem.c, compared with the host's libc for every small size and alignment. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

void *our_memcpy(void *restrict to, const void *restrict from, size_t size);
void *our_memmove(void *to, const void *from, size_t size);
void *our_memset(void *to, int value, size_t size);
int our_memcmp(const void *left, const void *right, size_t size);

#define memcpy  our_memcpy
#define memmove our_memmove
#define memset  our_memset
#define memcmp  our_memcmp
#include "lib/memory/mem.c"
#undef memcpy
#undef memmove
#undef memset
#undef memcmp

enum { AREA = 96, MAX_SIZE = 40, MAX_OFFSET = 16 };

static void fill(unsigned char *area)
{
	for (int i = 0; i < AREA; i++)
		area[i] = (unsigned char)(i * 37 + 11);
}

static void for_each_shape(void (*check)(size_t to, size_t from, size_t size))
{
	for (size_t to = 0; to < MAX_OFFSET; to++)
		for (size_t from = 0; from < MAX_OFFSET; from++)
			for (size_t size = 0; size <= MAX_SIZE; size++)
				check(to, from, size);
}

static void check_copy(size_t to, size_t from, size_t size)
{
	unsigned char source[AREA], seen[AREA] = { 0 }, expected[AREA] = { 0 };

	fill(source);
	memcpy(expected + to, source + from, size);
	assert_ptr_equal(our_memcpy(seen + to, source + from, size), seen + to);
	assert_memory_equal(seen, expected, AREA);
}

static void copies_exactly_the_bytes_asked_for(void **state)
{
	(void)state;
	for_each_shape(check_copy);
}

static void check_move(size_t to, size_t from, size_t size)
{
	unsigned char seen[AREA], expected[AREA];

	fill(seen);
	fill(expected);
	memmove(expected + to, expected + from, size);
	assert_ptr_equal(our_memmove(seen + to, seen + from, size), seen + to);
	assert_memory_equal(seen, expected, AREA);
}

static void moves_overlapping_bytes_in_both_directions(void **state)
{
	(void)state;
	for_each_shape(check_move);
}

static void check_set(size_t to, size_t value, size_t size)
{
	unsigned char seen[AREA], expected[AREA];

	fill(seen);
	fill(expected);
	memset(expected + to, (int)value * 0x1f1, size);
	assert_ptr_equal(our_memset(seen + to, (int)value * 0x1f1, size), seen + to);
	assert_memory_equal(seen, expected, AREA);
}

static void sets_bytes_and_uses_only_the_values_low_byte(void **state)
{
	(void)state;
	for_each_shape(check_set);
}

static void compares_as_unsigned_bytes_up_to_the_size(void **state)
{
	static const unsigned char low[] = { 1, 2, 3, 0x7f, 9 };
	static const unsigned char high[] = { 1, 2, 3, 0x80, 0 };

	(void)state;
	assert_int_equal(our_memcmp(low, high, 3), 0);
	assert_true(our_memcmp(low, high, 4) < 0);
	assert_true(our_memcmp(high, low, 5) > 0);
	assert_int_equal(our_memcmp(low, high, 0), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(copies_exactly_the_bytes_asked_for),
		cmocka_unit_test(moves_overlapping_bytes_in_both_directions),
		cmocka_unit_test(sets_bytes_and_uses_only_the_values_low_byte),
		cmocka_unit_test(compares_as_unsigned_bytes_up_to_the_size),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
