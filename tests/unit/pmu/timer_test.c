/* SPDX-License-Identifier: MIT */
/* A CPU's queue of timers, on a fake CPU. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "arch/host/fake_cpu.h"
#include "pmu/timer.h"

static const struct arch_regs regs = { .pc = 0x1234 };

static int set_up(void **state)
{
	(void)state;
	host_fake_cycles = 1000000000;
	return timer_init();
}

static unsigned order[8], expired;
static struct timer timers[3];

static void note_expiry(struct timer *timer, const struct arch_regs *interrupted, uint64_t now)
{
	(void)interrupted;
	(void)now;
	assert_true(expired < sizeof(order) / sizeof(order[0]));
	order[expired++] = (unsigned)(timer - timers);
}

static void timers_expire_in_the_order_of_their_deadlines(void **state)
{
	uint64_t before = timer_interrupts[0];

	(void)state;
	expired = 0;
	for (unsigned i = 0; i < 3; i++) {
		timers[i].expire = note_expiry;
		timer_start(&timers[i], host_fake_cycles + 100 * (3 - i));
	}
	assert_int_equal(fake_timer_deadline, host_fake_cycles + 100);
	timer_cancel(&timers[1]);
	assert_int_equal(fake_cpu_run(1000, 0, &regs), 2);
	assert_int_equal(timer_interrupts[0] - before, 2);
	assert_int_equal(expired, 2);
	assert_int_equal(order[0], 2);
	assert_int_equal(order[1], 0);
	assert_int_equal(fake_timer_deadline, 0);
}

static void the_first_deadline_is_armed_whatever_comes_and_goes(void **state)
{
	uint64_t now = host_fake_cycles;

	(void)state;
	expired = 0;
	for (unsigned i = 0; i < 3; i++)
		timers[i] = (struct timer){ .expire = note_expiry };
	timer_start(&timers[0], now + 200);
	assert_int_equal(fake_timer_deadline, now + 200);
	timer_start(&timers[1], now + 300);
	assert_int_equal(fake_timer_deadline, now + 200);
	timer_start(&timers[2], now + 200); /* of two timers with one time the older comes first */
	assert_true(timer_cancel(&timers[1]));
	assert_false(timer_cancel(&timers[1]));
	assert_int_equal(fake_timer_deadline, now + 200);
	assert_int_equal(fake_cpu_run(200, 0, &regs), 1);
	assert_int_equal(expired, 2);
	assert_int_equal(order[0], 0);
	assert_int_equal(order[1], 2);
	timer_start(&timers[0], now + 500);
	timer_start(&timers[1], now + 400);
	assert_int_equal(fake_timer_deadline, now + 400);
	assert_true(timer_cancel(&timers[1]));
	assert_int_equal(fake_timer_deadline, now + 500);
	assert_true(timer_cancel(&timers[0]));
	assert_int_equal(fake_timer_deadline, 0);
}

static void restart_after_long_work(struct timer *timer, const struct arch_regs *interrupted,
                                    uint64_t now)
{
	note_expiry(timer, interrupted, now);
	host_fake_cycles += 4000;
	timer_restart(timer, now + 1000);
}

static void a_program_gets_as_much_time_as_the_timers_that_interrupt_it(void **state)
{
	(void)state;
	expired = 0;
	for (unsigned i = 0; i < 2; i++) {
		timers[i] = (struct timer){ .expire = restart_after_long_work };
		timer_start(&timers[i], host_fake_cycles + 1000 + i);
	}
	/* the first interrupt at 1000, for one timer; then 4000 for the program, two timers, 8000
	 * ... */
	assert_int_equal(fake_cpu_run(1000 + 4000 + 8000 - 1, 0, &regs), 2);
	assert_int_equal(expired, 3);
	assert_int_equal(fake_cpu_run(1, 0, &regs), 1);
	assert_int_equal(expired, 5);
	assert_true(timer_cancel(&timers[0]));
	assert_true(timer_cancel(&timers[1]));
}

static void each_cpu_has_its_own_queue(void **state)
{
	uint64_t now = host_fake_cycles;

	(void)state;
	fake_cpu_number = 1;
	assert_int_equal(timer_init(), 0);
	timer_start(&timers[0], now + 100);
	fake_cpu_number = 0;
	timer_start(&timers[1], now + 200);
	assert_int_equal(fake_timer_deadline, now + 200);
	assert_false(timer_cancel(&timers[0]));
	assert_true(timer_cancel(&timers[1]));
	fake_cpu_number = 1;
	assert_true(timer_cancel(&timers[0]));
	fake_cpu_number = 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(timers_expire_in_the_order_of_their_deadlines, set_up),
		cmocka_unit_test_setup(the_first_deadline_is_armed_whatever_comes_and_goes, set_up),
		cmocka_unit_test_setup(a_program_gets_as_much_time_as_the_timers_that_interrupt_it,
		                       set_up),
		cmocka_unit_test_setup(each_cpu_has_its_own_queue, set_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
