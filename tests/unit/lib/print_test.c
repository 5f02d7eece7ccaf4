/* SPDX-License-Identifier: MIT */
/* The formatter that panics use, compared with the C library's. */
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "lib/print.h"

/* Ours and libc's agree, in text and in length. */
#define AGREES(...)                                                           \
	do {                                                                  \
		char ours[256], theirs[256];                                  \
		size_t length = print_text(ours, sizeof(ours), __VA_ARGS__);  \
		int expected = snprintf(theirs, sizeof(theirs), __VA_ARGS__); \
                                                                              \
		assert_string_equal(ours, theirs);                            \
		assert_int_equal(length, expected);                           \
	} while (0)

static void numbers_are_as_libc_prints_them(void **state)
{
	static const long values[] = { 0, 1, -1, 9, 10, -10, INT_MAX, INT_MIN, LONG_MAX, LONG_MIN };

	(void)state;
	for (unsigned i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
		AGREES("%d %i %u %x", (int)values[i], (int)values[i], (unsigned)values[i],
		       (unsigned)values[i]);
		AGREES("%ld %lu %lx %zu", values[i], (unsigned long)values[i],
		       (unsigned long)values[i], (size_t)values[i]);
		AGREES("%lld %llu", (long long)values[i], (unsigned long long)values[i]);
	}
}

static void widths_and_padding_are_as_libc_does_them(void **state)
{
	static const int values[] = { 0, 7, -7, 123456, -123456 };

	(void)state;
	for (unsigned i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
		AGREES("[%5d] [%-5d] [%05d] [%1d]", values[i], values[i], values[i], values[i]);
		AGREES("[%016lx] [%8x] [%-8x]", (unsigned long)values[i], (unsigned)values[i],
		       (unsigned)values[i]);
	}
	AGREES("[%5s] [%-5s] [%2s] [%c] [%3c] %%", "ab", "ab", "abcdef", 'x', 'y');
	AGREES("[%*s] [%*d] %s", 5, "ab", 4, 7, "behind");
	AGREES("[%*s^ %s", 0, "", "behind");
	AGREES("%s", "");
	AGREES("no conversion");
}

static void pointers_have_all_their_digits(void **state)
{
	char text[64];
	const char *volatile nothing = NULL;

	(void)state;
	print_text(text, sizeof(text), "%p", (void *)(uintptr_t)0x1234abcd);
	assert_string_equal(text, "0x000000001234abcd");
	print_text(text, sizeof(text), "%s", nothing);
	assert_string_equal(text, "(null)");
}

static void text_is_cut_to_its_space_and_ends_with_a_nul(void **state)
{
	(void)state;
	for (size_t size = 1; size < 16; size++) {
		char text[17];

		memset(text, '#', sizeof(text));
		assert_int_equal(print_text(text, size, "%s", "0123456789"), 10);
		assert_int_equal(strlen(text), size <= 10 ? size - 1 : 10);
		assert_int_equal(memcmp(text, "0123456789", strlen(text)), 0);
		assert_int_equal(text[size], '#');
	}
}

/* Through a pointer, so that the compiler gives no warning. */
static void an_unknown_conversion_is_printed_unchanged(void **state)
{
	size_t (*print)(char *, size_t, const char *, ...) = print_text;
	char text[64];

	(void)state;
	print(text, sizeof(text), "a %y b");
	assert_string_equal(text, "a %y b");
	print(text, sizeof(text), "100%");
	assert_string_equal(text, "100%");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_are_as_libc_prints_them),
		cmocka_unit_test(widths_and_padding_are_as_libc_does_them),
		cmocka_unit_test(pointers_have_all_their_digits),
		cmocka_unit_test(text_is_cut_to_its_space_and_ends_with_a_nul),
		cmocka_unit_test(an_unknown_conversion_is_printed_unchanged),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
