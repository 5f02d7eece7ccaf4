/* SPDX-License-Identifier: MIT */
// check-timeout: 900
/* Very many records and wakeups, writer and reader on two threads. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/ringbuf/ring_scenario.h"

static void a_hundred_million_records_arrive_or_are_counted(void **state)
{
	const char *wrong = NULL;

	(void)state;
	for (uint64_t seed = 0; seed < 10 && !wrong; seed++)
		wrong = scenario_threads(seed, 10000000);
	if (wrong)
		fail_msg("%s", wrong);
}

static void two_million_handshakes_miss_no_wakeup(void **state)
{
	const char *wrong = scenario_handshake(2000000);

	(void)state;
	if (wrong)
		fail_msg("%s", wrong);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_hundred_million_records_arrive_or_are_counted),
		cmocka_unit_test(two_million_handshakes_miss_no_wakeup),
	};

	return cmocka_run_group_tests_name("ring volume", tests, NULL, NULL);
}
