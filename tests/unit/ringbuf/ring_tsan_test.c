/* SPDX-License-Identifier: MIT */
/* The thread sanitizer sees writer and reader. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/ringbuf/ring_scenario.h"

static void writer_and_reader_have_no_data_race(void **state)
{
	const char *wrong = NULL;

	(void)state;
	for (uint64_t seed = 0; seed < 3 && !wrong; seed++)
		wrong = scenario_threads(seed, 300000);
	if (wrong)
		fail_msg("%s", wrong);
}

static void the_handshake_has_no_data_race(void **state)
{
	const char *wrong = scenario_handshake(20000);

	(void)state;
	if (wrong)
		fail_msg("%s", wrong);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(writer_and_reader_have_no_data_race),
		cmocka_unit_test(the_handshake_has_no_data_race),
	};

	return cmocka_run_group_tests_name("ring races", tests, NULL, NULL);
}
