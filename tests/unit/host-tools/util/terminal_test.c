/* SPDX-License-Identifier: MIT */
/* Colours are for terminals that support them, and for users who want them. */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "host-tools/util/terminal.h"

static void set(const char *name, const char *value)
{
	assert_int_equal(value ? setenv(name, value, 1) : unsetenv(name), 0);
}

static void colours_are_for_terminals_that_have_them(void **state)
{
	static const struct {
		const char *term, *no_color;
		bool colours;
	} cases[] = {
		{ "xterm", NULL, true }, { "xterm", "", true },   { NULL, NULL, true },
		{ "xterm", "1", false }, { "xterm", "0", false }, { "dumb", NULL, false },
		{ "dumb", "1", false },
	};
	int master = posix_openpt(O_RDWR | O_NOCTTY);
	FILE *terminal, *file = tmpfile();

	(void)state;
	assert_true(master >= 0 && !grantpt(master) && !unlockpt(master));
	terminal = fopen(ptsname(master), "w");
	assert_true(terminal && file);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		set("TERM", cases[i].term);
		set("NO_COLOR", cases[i].no_color);
		assert_int_equal(*terminal_alarm(terminal) != 0, cases[i].colours);
		assert_int_equal(*terminal_plain(terminal) != 0, cases[i].colours);
		assert_string_equal(terminal_alarm(file), "");
		assert_string_equal(terminal_plain(file), "");
	}
	fclose(terminal);
	fclose(file);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(colours_are_for_terminals_that_have_them),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
