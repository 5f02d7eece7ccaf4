/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <stdlib.h>

#include <cmocka.h>

#include "command/command.h"
#include "host-tools/events/image_tables.h"
#include "tests/unit/host-tools/events/tables_file.h"

static struct tables_file file;
static struct image_tables image;
static struct error error;

static int make(void **state)
{
	(void)state;
	tables_file_make(&file);
	memset(&error, 0, sizeof(error));
	return 0;
}

static int drop(void **state)
{
	(void)state;
	image_tables_free(&image);
	return 0;
}

static int load(void)
{
	image_tables_free(&image);
	return image_tables_read(&image, &file, TABLES_FILE_SIZE, &error);
}

static int parse(const char *text)
{
	static struct command command;
	struct command_error reason;

	return command_parse(&command, text, &image.tables, &reason);
}

static void an_images_own_names_are_those_that_count(void **state)
{
	(void)state;
	assert_int_equal(load(), 0);
	assert_int_equal(parse("record -e unit/number=7,mask=0xff/,loads,cycles -- spin 9"), 0);
	assert_int_equal(parse("record -e trace// -m ,8 -- program any words"), 0);
	assert_int_equal(parse("record -e unit/mask=256/ -- spin"), -EINVAL);
	assert_int_equal(parse("record -e stores -- spin"), -EINVAL);
	assert_int_equal(parse("record -e bts// -- spin"), -EINVAL);
	assert_int_equal(parse("record -- spin 10"), -EINVAL);
	assert_int_equal(parse("record -- noploop"), -EINVAL);
	assert_int_equal(parse("record -e trace// -g -- spin"), -EINVAL);
}

static void a_function_that_an_image_names_is_not_taken(void **state)
{
	(void)state;
	tables_file_point(&file, &file.tables.sources.is_here, file.texts);
	file.directory.relocations_end += (uint32_t)sizeof(Elf64_Rela);
	assert_int_equal(load(), 0);
	assert_null(image.tables.sources.is_here);
	assert_int_equal(parse("record -e unit/number=7/ -- spin 9"), 0);
}

/* The compiler reads a bool as 0 or 1; a file may hold other bytes. */
static void any_byte_but_0_says_that_a_program_takes_words(void **state)
{
	(void)state;
	memset(&file.programs[0].takes_words, 0xff, 1);
	assert_int_equal(load(), 0);
	assert_int_equal(parse("record -- spin these words"), 0);
}

static void another_versions_tables_are_not_used(void **state)
{
	(void)state;
	file.directory.version++;
	assert_int_equal(load(), -ENOENT);
	tables_file_make(&file);
	file.tables.version[0]++;
	assert_int_equal(load(), -ENOENT);
	tables_file_make(&file);
	file.directory.magic++;
	assert_int_equal(load(), -ENOENT);
	tables_file_make(&file);
	memcpy(strstr(file.texts, "--count") ? file.texts + 3 : file.texts, "x", 1);
	assert_int_equal(load(), -ENOENT); /* the option in the tables has another name */
	assert_string_equal(error.text, "");
	image_tables_free(&image);
	assert_int_equal(image_tables_read(&image, "MZ", 2, &error), -ENOENT);
}

/* Make the relocation of the pointer at field point elsewhere. */
static void point(const void *field, int64_t addend)
{
	uint64_t offset = (uint64_t)((const uint8_t *)field - (const uint8_t *)&file);

	for (size_t i = 0; i < file.count; i++) {
		if (file.relocations[i].r_offset == offset)
			file.relocations[i].r_addend = addend;
	}
}

static void an_invalid_pointer_is_refused(void **state)
{
	const int64_t last = TABLES_FILE_SIZE - 8;
	const struct {
		const void *field;
		int64_t addend;
	} cases[] = {
		{ &file.tables.sources.list, last + 8 },
		{ &file.tables.sources.list, last - 4 }, /* not aligned */
		{ &file.tables.workloads, -8 },
		{ &file.sources[0], last },
		{ &file.sources[1], 4 },
		{ &file.workloads[0], last },
		{ &file.units[0].name, last + 8 },
		{ &file.units[1].description, 0x7fffffffffff },
		{ &file.units[0].formats, last },
		{ &file.units[0].events, last },
		{ &file.formats[0].term, last + 7 },
		{ &file.events[0].name, last + 7 },
		{ &file.programs[1].name, -1 },
		{ &file.programs[0].arguments, -1 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		tables_file_make(&file);
		memset(file.relocations + file.count, 0xff,
		       sizeof(file.relocations) - file.count * sizeof(Elf64_Rela));
		point(cases[i].field, cases[i].addend);
		if (load() != -EPROTO)
			fail_msg("case %zu: not refused", i);
		assert_non_null(strstr(error.text, "makes no sense"));
	}
}

static void values_at_the_limits_are_accepted(void **state)
{
	(void)state;
	file.formats[0].word = 4;
	assert_int_equal(load(), 0);
	tables_file_make(&file);
	file.formats[1].high = 63;
	assert_int_equal(load(), 0);
	tables_file_make(&file);
	point(&file.workloads[0], TABLES_FILE_SIZE); /* zeroed memory: not a table */
	assert_int_equal(load(), 0);
	assert_null(image.tables.workloads[0]);
}

static void an_impossible_table_is_refused(void **state)
{
	(void)state;
	file.formats[0].word = 5;
	assert_int_equal(load(), -EPROTO);
	tables_file_make(&file);
	file.formats[0].low = 8;
	assert_int_equal(load(), -EPROTO);
	tables_file_make(&file);
	file.formats[1].high = 64;
	assert_int_equal(load(), -EPROTO);
	tables_file_make(&file);
	*strstr(file.texts + file.used - 6, "loads") = '\n'; /* a terminal would act on it */
	assert_int_equal(load(), -EPROTO);
	tables_file_make(&file);
	file.directory.relocations_end = TABLES_FILE_SIZE + 1;
	assert_int_equal(load(), -EPROTO);
	tables_file_make(&file);
	file.directory.relocations = file.directory.relocations_end + 1;
	assert_int_equal(load(), -EPROTO);
	tables_file_make(&file);
	file.relocations[1].r_offset = TABLES_FILE_SIZE - 7;
	assert_int_equal(load(), -EPROTO);
	tables_file_make(&file);
	file.directory.tables = TABLES_FILE_SIZE - sizeof(struct command_tables) + 8;
	assert_int_equal(load(), -EPROTO);
	assert_non_null(strstr(error.text, "outside"));
}

static void a_file_that_is_cut_anywhere_is_refused(void **state)
{
	(void)state;
	for (size_t size = 0; size < TABLES_FILE_SIZE; size += 8) {
		void *cut = malloc(size + 1);
		int code;

		memcpy(cut, &file, size);
		image_tables_free(&image);
		code = image_tables_read(&image, cut, size, &error);
		free(cut);
		if (size < offsetof(struct tables_file, relocations) + file.count * 24)
			assert_int_equal(code, size < TABLES_DIRECTORY + sizeof(file.directory)
			                           ? -ENOENT
			                           : -EPROTO);
	}
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, make, drop)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(an_images_own_names_are_those_that_count),
		TEST(a_function_that_an_image_names_is_not_taken),
		TEST(any_byte_but_0_says_that_a_program_takes_words),
		TEST(another_versions_tables_are_not_used),
		TEST(an_invalid_pointer_is_refused),
		TEST(values_at_the_limits_are_accepted),
		TEST(an_impossible_table_is_refused),
		TEST(a_file_that_is_cut_anywhere_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
