/* SPDX-License-Identifier: MIT */
/* The tests of the ring can fail: each fault that can be built in is detected. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/unit/ringbuf/ring_scenario.h"

unsigned ring_faults;

static const char *some_seeds(void)
{
	const char *wrong = NULL;

	for (uint64_t seed = 1; seed < 20 && !wrong; seed++)
		wrong = scenario_random(seed, 20000);
	return wrong;
}

static const char *many_handshakes(void)
{
	return scenario_handshake(300000000);
}

/* Whether the scenario reports an error, or crashes, with this fault built in; in a separate
 * process. */
static bool caught(unsigned fault, const char *(*scenario)(void))
{
	pid_t child = fork();
	int status;

	if (child == 0) {
		ring_faults = fault;
		alarm(250);
		_exit(scenario() ? 1 : 0);
	}
	assert_true(child > 0);
	assert_int_equal(waitpid(child, &status, 0), child);
	if (WIFSIGNALED(status))
		return WTERMSIG(status) == SIGSEGV || WTERMSIG(status) == SIGBUS;
	return WEXITSTATUS(status) == 1;
}

static void no_fault_is_found_where_there_is_none(void **state)
{
	(void)state;
	assert_false(caught(0, some_seeds));
	assert_false(caught(0, scenario_shared_ring));
}

static void notifying_the_firing_event_is_caught(void **state)
{
	(void)state;
	assert_true(caught(RING_FAULT_NOTIFY_FIRING, scenario_shared_ring));
}

static void publishing_early_is_caught(void **state)
{
	(void)state;
	assert_true(caught(RING_FAULT_EARLY_PUBLISH, scenario_every_instruction));
}

static void forgetting_lost_is_caught(void **state)
{
	(void)state;
	assert_true(caught(RING_FAULT_FORGET_LOST, some_seeds));
}

static void trusting_the_tail_is_caught(void **state)
{
	(void)state;
	assert_true(caught(RING_FAULT_TRUST_TAIL, some_seeds));
}

static void reserving_by_load_and_store_is_caught(void **state)
{
	(void)state;
	assert_true(caught(RING_FAULT_TORN_RESERVE, scenario_every_instruction));
}

static void not_looking_again_after_publishing_is_caught(void **state)
{
	(void)state;
	assert_true(caught(RING_FAULT_NO_REPUBLISH, scenario_every_instruction));
}

static void to_take_oneself_for_alone_is_caught(void **state)
{
	(void)state;
	assert_true(caught(RING_FAULT_NOT_ALONE, scenario_every_instruction));
	assert_true(caught(RING_FAULT_NOT_ALONE, some_seeds));
}

static void a_wakeup_without_its_fence_is_caught(void **state)
{
	(void)state;
	if (sysconf(_SC_NPROCESSORS_ONLN) < 2)
		skip();
	assert_true(caught(RING_FAULT_NO_FENCE, many_handshakes));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_fault_is_found_where_there_is_none),
		cmocka_unit_test(notifying_the_firing_event_is_caught),
		cmocka_unit_test(publishing_early_is_caught),
		cmocka_unit_test(forgetting_lost_is_caught),
		cmocka_unit_test(trusting_the_tail_is_caught),
		cmocka_unit_test(reserving_by_load_and_store_is_caught),
		cmocka_unit_test(not_looking_again_after_publishing_is_caught),
		cmocka_unit_test(to_take_oneself_for_alone_is_caught),
		cmocka_unit_test(a_wakeup_without_its_fence_is_caught),
	};

	return cmocka_run_group_tests_name("ring faults", tests, NULL, NULL);
}
