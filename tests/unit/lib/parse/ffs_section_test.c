/* SPDX-License-Identifier: MIT */
/* Files of firmware volumes, whole and damaged. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <errno.h>

#include "lib/parse/ffs_section.h"

/* A section of 5 bytes and its padding, one with an extended size, the name. */
static const uint8_t file[] = {
	9,
	0,
	0,
	FFS_SECTION_PE32,
	'M',
	'Z',
	1,
	2,
	3,
	0xff,
	0xff,
	0xff,
	0xff,
	0xff,
	0xff,
	0x19,
	/* RAW */ 10,
	0,
	0,
	0,
	0xaa,
	0xbb,
	0xff,
	0xff,
	12,
	0,
	0,
	0x15,
	/* UI */ 'F',
	0,
	'a',
	0,
	't',
	0,
	0,
	0,
};

static void sections_follow_each_other_at_multiples_of_4(void **state)
{
	struct ffs_section section;
	uint64_t at = 0;

	(void)state;
	assert_int_equal(ffs_section_next(file, sizeof(file), &at, &section), 1);
	assert_int_equal(section.type, FFS_SECTION_PE32);
	assert_ptr_equal(section.bytes, file + 4);
	assert_int_equal(section.size, 5);
	assert_int_equal(ffs_section_next(file, sizeof(file), &at, &section), 1);
	assert_int_equal(section.type, 0x19);
	assert_ptr_equal(section.bytes, file + 20);
	assert_int_equal(section.size, 2);
	assert_int_equal(ffs_section_next(file, sizeof(file), &at, &section), 1);
	assert_int_equal(section.type, FFS_SECTION_USER_INTERFACE);
	assert_int_equal(section.size, 8);
	assert_int_equal(ffs_section_next(file, sizeof(file), &at, &section), 0);
	assert_int_equal(ffs_section_next(file, sizeof(file) - 1, &(uint64_t){ 24 }, &section),
	                 -EINVAL);
	assert_int_equal(ffs_section_next(file, 9, &(uint64_t){ 0 }, &section), 1);
}

static void the_ui_section_names_the_module(void **state)
{
	char name[8];

	(void)state;
	assert_int_equal(ffs_ui_name(file, sizeof(file), name, sizeof(name)), 3);
	assert_string_equal(name, "Fat");
	assert_int_equal(ffs_ui_name(file, sizeof(file), name, 3), 2);
	assert_string_equal(name, "Fa");
	assert_int_equal(ffs_ui_name(file, sizeof(file) - 1, name, sizeof(name)), 0);
	assert_string_equal(name, "");
	assert_int_equal(ffs_ui_name(file, 24, name, sizeof(name)), 0);
}

static void its_text_may_be_anything(void **state)
{
	static const uint16_t odd[] = { 'a', 0x20ac, '"', 0x1b, 0x7f, '~', 0x141 };
	char name[16];

	(void)state;
	assert_int_equal(ffs_ui_text(odd, sizeof(odd), name, sizeof(name)), 7);
	assert_string_equal(name, "a????~?");
	assert_int_equal(ffs_ui_text(odd, 3, name, sizeof(name)), 1); /* half a character is none */
	assert_int_equal(ffs_ui_text(odd, 0, name, sizeof(name)), 0);
	assert_string_equal(name, "");
	assert_int_equal(ffs_ui_text(odd, sizeof(odd), name, 1), 0);
}

static int walk(const uint8_t *bytes, uint64_t size)
{
	struct ffs_section section;
	uint64_t at = 0, before = 0;
	int code;

	while ((code = ffs_section_next(bytes, size, &at, &section)) > 0) {
		assert_true(at > before);
		assert_true(section.bytes >= bytes && section.size <= size);
		assert_true((uint64_t)(section.bytes - bytes) <= size - section.size);
		before = at;
	}
	return code;
}

static void no_byte_and_no_length_is_believed(void **state)
{
	static const uint8_t values[] = { 0, 3, 4, 7, 8, 0x7f, 0xff };

	(void)state;
	for (uint64_t size = 0; size <= sizeof(file); size++) {
		uint8_t *bytes = malloc(size ? size : 1);
		char name[8];

		memcpy(bytes, file, size);
		walk(bytes, size);
		for (uint64_t i = 0; i < size; i++) {
			for (unsigned v = 0; v < sizeof(values); v++) {
				bytes[i] = values[v];
				walk(bytes, size);
				ffs_ui_name(bytes, size, name, sizeof(name));
				bytes[i] = file[i];
			}
		}
		free(bytes);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sections_follow_each_other_at_multiples_of_4),
		cmocka_unit_test(the_ui_section_names_the_module),
		cmocka_unit_test(its_text_may_be_anything),
		cmocka_unit_test(no_byte_and_no_length_is_believed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
