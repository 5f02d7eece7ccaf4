/* SPDX-License-Identifier: MIT */
/* Words as the UEFI shell splits them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#include "lib/parse/shell_word.h"

/* The words with a bar between them; if a quote is open, its place: "a|b!4". */
static void cuts(const char *text, const char *words)
{
	char copy[64], said[128] = "", *at = copy, *word;
	const char *open;
	int length = 0;

	snprintf(copy, sizeof(copy), "%s", text);
	while ((word = shell_word(&at, &open)))
		length += snprintf(said + length, sizeof(said) - (size_t)length, "%s%s",
		                   length ? "|" : "", *word ? word : "()");
	if (open)
		snprintf(said + length, sizeof(said) - (size_t)length, "!%d", (int)(open - copy));
	assert_string_equal(said, words);
}

static void blanks_part_words(void **state)
{
	(void)state;
	cuts("", "");
	cuts("  \t ", "");
	cuts("a", "a");
	cuts("  a\tbc \n d ", "a|bc|d");
}

static void quotes_keep_blanks(void **state)
{
	(void)state;
	cuts("\"a b\" c", "a b|c");
	cuts("x\"y z\"w", "xy zw");
	cuts("\"\" a \"\"", "()|a|()");
	cuts("'a b'", "'a|b'");
	cuts("\"fs0:\\x\\\" y", "fs0:\\x\\|y");
}

static void a_caret_escapes_the_next_character(void **state)
{
	(void)state;
	cuts("a^\"b ^^ ^a", "a\"b|^|a");
	cuts("\"a ^\" b\" c", "a \" b|c");
	cuts("a^ b", "a b");
	cuts("a^", "a");
	cuts("^", "()");
}

static void a_quote_that_is_open_is_found(void **state)
{
	(void)state;
	cuts("a \"b c", "a!2");
	cuts("\"a\" b\"c\"d\" e", "a!9");
	cuts("a \"b^\"", "a!2");
	cuts("\"", "!0");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(blanks_part_words),
		cmocka_unit_test(quotes_keep_blanks),
		cmocka_unit_test(a_caret_escapes_the_next_character),
		cmocka_unit_test(a_quote_that_is_open_is_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
