/* SPDX-License-Identifier: MIT */
/* In any case records are complete and in order, and the ledger is exact. The seeds are printed;
 * RING_SEED=n runs only that seed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "tests/unit/ringbuf/ring_scenario.h"

typedef const char *(*scenario)(uint64_t seed, uint64_t records);

static void try_seed(scenario run, uint64_t seed, uint64_t records)
{
	const char *wrong = run(seed, records);

	if (wrong)
		fail_msg("RING_SEED=%llu: %s", (unsigned long long)seed, wrong);
}

static void try_seeds(scenario run, uint64_t count, uint64_t records)
{
	const char *chosen = getenv("RING_SEED");
	uint64_t seed = (uint64_t)time(NULL) * 1000;

	if (chosen) {
		try_seed(run, strtoull(chosen, NULL, 0), records);
		return;
	}
	printf("# seeds 1 to %llu and from %llu\n", (unsigned long long)count,
	       (unsigned long long)seed);
	for (uint64_t i = 0; i < count; i++) {
		try_seed(run, i + 1, records);
		try_seed(run, seed + i, records);
	}
}

static void records_are_whole_and_the_ledger_exact_whatever_the_reader_does(void **state)
{
	(void)state;
	try_seeds(scenario_random, 30, 30000);
}

static void snapshots_of_an_overwritable_ring_are_whole(void **state)
{
	(void)state;
	try_seeds(scenario_random_backward, 30, 30000);
}

static void no_notified_sample_is_missed(void **state)
{
	const char *wrong = scenario_shared_ring();

	(void)state;
	if (wrong)
		fail_msg("%s", wrong);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(records_are_whole_and_the_ledger_exact_whatever_the_reader_does),
		cmocka_unit_test(snapshots_of_an_overwritable_ring_are_whole),
		cmocka_unit_test(no_notified_sample_is_missed),
	};

	return cmocka_run_group_tests_name("ring properties", tests, NULL, NULL);
}
