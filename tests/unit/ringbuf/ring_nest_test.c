/* SPDX-License-Identifier: MIT */
// check-timeout: 900
/* Writers nested by real signals. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <pthread.h>
#include <signal.h>

#include "arch/host/step.h"
#include "tests/unit/ringbuf/ring_scenario.h"

#define SIGNALS 5000 /* of each kind, or so many records: */
#define RECORDS 200000000

static struct rig rig;
static pthread_t writer;
static int over;
static volatile uint64_t visits[RIG_EVENTS];

static void on_signal(int signal)
{
	unsigned nested = signal == SIGUSR1 ? 1 : 2;

	visits[nested]++;
	if (nested == 1)
		rig_write(&rig, 1, 48, 1);
	else
		rig_write_alone(&rig, 2, 56);
}

/* SIGUSR1 stands for an IRQ, and SIGUSR2 for an NMI, which interrupts the IRQ and is not
 * interrupted. */
static void catch_signals(void)
{
	struct sigaction action = { .sa_handler = on_signal };

	sigemptyset(&action.sa_mask);
	sigaction(SIGUSR1, &action, NULL);
	sigaddset(&action.sa_mask, SIGUSR1);
	sigaction(SIGUSR2, &action, NULL);
}

static void *send_signals(void *arg)
{
	(void)arg;
	while (!__atomic_load_n(&over, __ATOMIC_RELAXED)) {
		pthread_kill(writer, SIGUSR1);
		pthread_kill(writer, SIGUSR2);
	}
	return NULL;
}

static const char *write_and_read(void)
{
	const char *wrong = NULL;
	uint64_t random = 1;

	for (int i = 0; i < RECORDS && visits[2] < SIGNALS && !wrong; i++) {
		rig_write(&rig, 0, 32 + (uint32_t)(rig_random(&random) % 20) * 8, 0);
		if (rig_random(&random) % 32 == 0) {
			__atomic_store_n(&rig.doorbell.pending, 0, __ATOMIC_RELAXED);
			wrong = rig_drain(&rig, rig_random(&random) % 100);
		}
	}
	return wrong;
}

/* Woken by so many samples, or by bytes alone. */
static void nest_by_signals(uint32_t wakeup_events)
{
	const char *wrong;
	pthread_t sender;

	rig_init(&rig, 2 * TR_PAGE, 0, wakeup_events, 1000);
	visits[1] = visits[2] = 0;
	over = 0;
	catch_signals();
	writer = pthread_self();
	assert_int_equal(pthread_create(&sender, NULL, send_signals, NULL), 0);
	wrong = write_and_read();
	__atomic_store_n(&over, 1, __ATOMIC_RELAXED);
	pthread_join(sender, NULL);
	if (!wrong)
		wrong = rig_drain(&rig, UINT64_MAX);
	if (!wrong)
		wrong = rig_check(&rig);
	if (wrong)
		fail_msg("%s", wrong);
	assert_true(visits[1] > 0 && visits[2] > 0);
	print_message("# %llu and %llu signals, %llu of these alone\n",
	              (unsigned long long)visits[1], (unsigned long long)visits[2],
	              (unsigned long long)rig.alone);
	rig_free(&rig);
}

static void writers_nested_by_signals_lose_nothing_uncounted(void **state)
{
	(void)state;
	nest_by_signals(10);
	/* samples cause wakeups, so the path for uninterrupted writers is closed */
	assert_true(rig.alone == 0);
	nest_by_signals(0);
	assert_true(rig.alone > 0);
}

static void a_handler_may_come_before_any_instruction_of_a_writer(void **state)
{
	const char *wrong;

	(void)state;
	if (!HOST_CAN_STEP)
		skip();
	wrong = scenario_every_instruction();
	if (wrong)
		fail_msg("%s", wrong);
}

static void handlers_of_handlers_may_come_anywhere(void **state)
{
	const char *wrong;

	(void)state;
	if (!HOST_CAN_STEP)
		skip();
	wrong = scenario_nested_handlers(1, 1500);
	if (wrong)
		fail_msg("%s", wrong);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(writers_nested_by_signals_lose_nothing_uncounted),
		cmocka_unit_test(a_handler_may_come_before_any_instruction_of_a_writer),
		cmocka_unit_test(handlers_of_handlers_may_come_anywhere),
	};

	return cmocka_run_group_tests_name("ring nesting", tests, NULL, NULL);
}
