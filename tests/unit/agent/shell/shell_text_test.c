/* SPDX-License-Identifier: MIT */
/* Names, paths and patterns of our own shell. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "agent/shell/shell_text.h"

static void is(const CHAR16 *text, const CHAR16 *wanted)
{
	assert_int_equal(shell_text_length(text), shell_text_length(wanted));
	assert_memory_equal(text, wanted, shell_text_length(wanted) * sizeof(*text));
}

static void patterns_match_names(void **state)
{
	static const struct {
		const CHAR16 *pattern, *name;
		bool matches;
	} cases[] = {
		{ u"a.efi", u"A.EFI", true },
		{ u"a.efi", u"a.ef", false },
		{ u"a.ef", u"a.efi", false },
		{ u"*", u"", true },
		{ u"*", u"a", true },
		{ u"?", u"", false },
		{ u"?", u"a", true },
		{ u"a*", u"b", false },
		{ u"*.efi", u"a.efi.efi", true },
		{ u"*.efi", u"a.efi.ef", false },
		{ u"*a*b", u"xaxbxaxb", true },
		{ u"*a*b", u"xaxbxaxc", false },
		{ u"**a**", u"a", true },
		{ u"a?c*", u"abc", true },
		{ u"a?c", u"ac", false },
		{ u"@", u"`", false },
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_int_equal(shell_text_matches(cases[i].pattern, cases[i].name),
		                 cases[i].matches);
	assert_true(shell_text_is_pattern(u"a?") && shell_text_is_pattern(u"*a"));
	assert_false(shell_text_is_pattern(u"a[b]") || shell_text_is_pattern(u""));
}

static void paths_lose_their_dots(void **state)
{
	static const CHAR16 *const cases[][2] = {
		{ u"\\", u"\\" },
		{ u"", u"\\" },
		{ u"\\a\\b", u"\\a\\b" },
		{ u"\\a\\\\b\\", u"\\a\\b" },
		{ u"\\a\\.\\b\\..\\c", u"\\a\\c" },
		{ u"\\..\\..\\a", u"\\a" },
		{ u"\\a\\b\\..\\..", u"\\" },
		{ u"\\...\\.a\\a.\\..b", u"\\...\\.a\\a.\\..b" },
		{ u"\\a\\..", u"\\" },
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		CHAR16 path[32];

		memcpy(path, cases[i][0], (shell_text_length(cases[i][0]) + 1) * sizeof(*path));
		shell_text_simplify(path);
		is(path, cases[i][1]);
	}
}

static void text_that_does_not_fit_is_left_out(void **state)
{
	CHAR16 to[4] = u"a";
	char narrow[4];

	(void)state;
	assert_false(shell_text_append(to, 4, u"bcd"));
	is(to, u"a");
	assert_true(shell_text_append(to, 4, u"bc"));
	is(to, u"abc");
	assert_false(shell_text_append(to, 4, u"d"));
	assert_true(shell_text_narrow(to, narrow, 4));
	assert_string_equal(narrow, "abc");
	assert_false(shell_text_narrow(to, narrow, 3));
	assert_false(shell_text_narrow(u"\u00e9", narrow, 4));
}

static void names_are_the_same_in_any_case(void **state)
{
	(void)state;
	assert_true(shell_text_equals(u"Cwd", u"cWD") && shell_text_equals(u"", u""));
	assert_false(shell_text_equals(u"cwd", u"cw") || shell_text_equals(u"cw", u"cwd"));
	assert_false(shell_text_equals(u"[", u"{"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(patterns_match_names),
		cmocka_unit_test(paths_lose_their_dots),
		cmocka_unit_test(text_that_does_not_fit_is_left_out),
		cmocka_unit_test(names_are_the_same_in_any_case),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
