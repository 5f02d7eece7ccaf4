/* SPDX-License-Identifier: MIT */
/* Words reach the machine unchanged: command_parse() reads what guest_text() writes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "command/command.h"
#include "host-tools/record/command/guest_text.h"

static const struct workload_usage program = {
	.name = "payload",
	.arguments = "",
	.description = "",
	.takes_words = true,
};
static const struct workload_usage application = {
	.name = "*.efi",
	.arguments = "",
	.description = "",
	.takes_words = true,
};
static const struct workload_usage *const workloads[] = { &program, &application, NULL };
static const struct pmu_source *const sources[] = { NULL };
static const struct command_tables tables = { .sources.list = sources, .workloads = workloads };

/* The words after a workload, written and read. */
static void passes_to(char *workload, char **words, int count)
{
	char *all[8] = { "record", "--", workload };
	struct guest guest = { .words = all, .count = 3 + count };
	static struct command command;
	struct command_error reason;
	struct error error = { "" };
	char *text;

	memcpy(all + 3, words, (size_t)count * sizeof(*words));
	text = guest_text(&guest, NULL, &error);
	assert_non_null(text);
	assert_int_equal(command_parse(&command, text, &tables, &reason), 0);
	assert_int_equal(command.argc, 1 + count);
	for (int i = 0; i < count; i++)
		assert_string_equal(command.argv[1 + i], words[i]);
	free(text);
}

/* A UEFI application's words are split by the UEFI shell's rules. */
static void passes(char **words, int count)
{
	passes_to("payload", words, count);
	passes_to("x.efi", words, count);
	passes_to("\\dir\\X.EFI", words, count);
}

static void words_with_blanks_and_quotes_reach_the_machine(void **state)
{
	(void)state;
	passes((char *[]){ "two words", "", "it's", "\"quoted\"" }, 4);
	passes((char *[]){ "\\", "a\\ b", "\\'\"\\\\", "C:\\dir" }, 4);
	passes((char *[]){ " ", "'", "\"", "--x=' '" }, 4);
}

static void any_word_comes_back_unchanged(void **state)
{
	static const char letters[] = "a '\"\\^";

	(void)state;
	for (unsigned n = 0; n < 6 * 6 * 6 * 6 * 6; n++) {
		char word[6] = "", next[] = "next";
		unsigned rest = n;

		for (unsigned i = 0; i < 5; i++, rest /= 6)
			word[i] = letters[rest % 6];
		passes((char *[]){ word, next }, 2);
	}
}

static void plain_words_stay_plain(void **state)
{
	char *words[] = { "record", "-e", "cycles:u", "--", "payload", "x=1", "@f" };
	struct guest guest = { .words = words, .count = 7 };
	struct error error = { "" };
	char *text = guest_text(&guest, NULL, &error);

	(void)state;
	assert_string_equal(text, "record -e cycles:u -- payload x=1 @f");
	free(text);
}

static void an_application_s_words_are_quoted_as_its_shell_wants_it(void **state)
{
	char *words[] = { "record", "--", "a b.efi", "it's", "two words", "C:\\dir\\", "d\"^e" };
	struct guest guest = { .words = words, .count = 7 };
	struct error error = { "" };
	char *text = guest_text(&guest, NULL, &error);

	(void)state;
	assert_string_equal(text, "record -- 'a b.efi' it's \"two words\" C:\\dir\\ d^\"^^e");
	free(text);
}

/* The words and the text for the machine, which `run` tells to power off. */
static void expect_text(char **words, int count, bool boots, const char *expected)
{
	struct guest guest = { .words = words, .count = count, .poweroff = true };
	struct error error = { "" };
	char *text = guest_text(&guest, NULL, &error);

	assert_int_equal(guest_boots(&guest), boots);
	assert_non_null(text);
	assert_string_equal(text, expected);
	free(text);
}

static void a_recorded_boot_is_not_told_to_power_off(void **state)
{
	(void)state;
	expect_text((char *[]){ "record", "--boot", "-F", "99" }, 4, true, "record --boot -F 99");
	expect_text((char *[]){ "record", "--", "payload", "--boot" }, 4, false,
	            "record --then poweroff -- payload --boot");
	expect_text((char *[]){ "help" }, 1, false, "help --then poweroff");
	expect_text((char *[]){ "record", "--then", "wait", "--", "noploop" }, 5, false,
	            "record --then wait -- noploop");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(words_with_blanks_and_quotes_reach_the_machine),
		cmocka_unit_test(any_word_comes_back_unchanged),
		cmocka_unit_test(plain_words_stay_plain),
		cmocka_unit_test(an_application_s_words_are_quoted_as_its_shell_wants_it),
		cmocka_unit_test(a_recorded_boot_is_not_told_to_power_off),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
