/* SPDX-License-Identifier: MIT */
/* The words that main() gets: those of @FILE, and words that are no such file. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/unit/temporary.h"
#include "workload/sdk/sdk.h"

static char said[200];

static int64_t hear(uint32_t file, const void *bytes, uint64_t size)
{
	assert_int_equal(file, BAREPERF_STDERR);
	strncat(said, bytes, size);
	return (int64_t)size;
}

static const struct bareperf_system machine = { .write_to = hear };
const struct bareperf_system *sdk_system = &machine;

static void write_file(const char *name, const char *text)
{
	FILE *file = fopen(name, "w");

	assert_non_null(file);
	assert_true(fputs(text, file) >= 0);
	assert_int_equal(fclose(file), 0);
}

/* LeakSanitizer calls it: a file's words stay allocated as long as the program runs. */
int __lsan_is_turned_off(void);
int __lsan_is_turned_off(void)
{
	return 1;
}

/* The arguments that a program gets for these words, up to NULL, with | after each. */
static const char *words_of(char *first, ...)
{
	static char text[400];
	char *given[8], **words;
	int count = 0, got;
	va_list list;

	va_start(list, first);
	for (char *word = first; word; word = va_arg(list, char *))
		given[count++] = word;
	va_end(list);
	said[0] = text[0] = 0;
	got = sdk_arguments(count, given, &words);
	if (got < 0) {
		snprintf(text, sizeof(text), "%s", strerror(-got));
		return text;
	}
	for (int i = 0; i < got; i++)
		snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s|", words[i]);
	assert_null(words[got]);
	free(words);
	return text;
}

static void a_files_words_replace_its_name(void **state)
{
	(void)state;
	write_file("words", "alpha\t'two words'\r\n\n \"it's\"x'y 'z '' a\\ b\n");
	assert_string_equal(words_of("p", "@words", "end", NULL),
	                    "p|alpha|two words|it'sxy z||a b|end|");
	write_file("words", "");
	assert_string_equal(words_of("p", "@words", "end", NULL), "p|end|");
	assert_string_equal(words_of("@words", NULL), "@words|");
}

static void a_backslash_replaces_a_special_character(void **state)
{
	(void)state;
	write_file("words",
	           "\"a\\nb\" \"\\d+\" 'c\\' \"\\\"\\\\\\$\\`\\ \" \\\\\\'\\\" \\dir\\file \\");
	assert_string_equal(words_of("p", "@words", NULL),
	                    "p|a\\nb|\\d+|c\\|\"\\$`\\ |\\'\"|\\dir\\file|\\|");
	write_file("words", "one\\\ntwo \\\n three \"f\\\nour\" 'f\\\nive' \\\n");
	assert_string_equal(words_of("p", "@words", NULL), "p|onetwo|three|four|f\\\nive|");
}

static void a_quote_that_is_not_closed_is_reported_and_refused(void **state)
{
	(void)state;
	write_file("words", "one 'two\nthree");
	assert_string_equal(words_of("p", "@words", NULL), strerror(EINVAL));
	assert_string_equal(said, "@words: this quote is not closed: 'two\n");
	write_file("words", "'one'\"two\\\" three");
	assert_string_equal(words_of("p", "@words", NULL), strerror(EINVAL));
	assert_string_equal(said, "@words: this quote is not closed: \"two\\\" three\n");
}

static void a_word_that_names_no_file_is_itself(void **state)
{
	(void)state;
	assert_string_equal(words_of("p", "@", "@.", "@/", "@none", "x@words", NULL),
	                    "p|@|@.|@/|@none|x@words|");
}

static char directory[PATH_MAX];

static int enter_directory(void **state)
{
	(void)state;
	temporary_path(directory, "arguments");
	return mkdir(directory, 0700) || chdir(directory);
}

static int remove_directory(void **state)
{
	(void)state;
	return unlink("words") || rmdir(directory);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_files_words_replace_its_name),
		cmocka_unit_test(a_backslash_replaces_a_special_character),
		cmocka_unit_test(a_quote_that_is_not_closed_is_reported_and_refused),
		cmocka_unit_test(a_word_that_names_no_file_is_itself),
	};

	return cmocka_run_group_tests(tests, enter_directory, remove_directory);
}
