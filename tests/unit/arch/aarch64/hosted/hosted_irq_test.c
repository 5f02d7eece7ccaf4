/* SPDX-License-Identifier: MIT */
/* Interrupts that a firmware's driver passes on: its own state of them is restored. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "arch/aarch64/hosted/hosted_irq.h"

#define NUMBERS 32U
#define TIMER   26U
#define PMU     23U

static arch_handed_fn handlers[NUMBERS];
static bool enabled[NUMBERS];
static int refuses; /* all requests are refused */

static void ours(intptr_t number, void *context)
{
	(void)number;
	(void)context;
}

static void firmwares(intptr_t number, void *context)
{
	(void)number;
	(void)context;
}

/* A fake of EDK2's interrupt controller driver, which bareperf calls through lib/hosted.c. */
static int lead(uint32_t number, arch_handed_fn handler)
{
	int was_handled = handler && handlers[number];

	if (refuses)
		return refuses;
	handlers[number] = handler;
	enabled[number] = handler;
	return was_handled;
}

static void enable(uint32_t number)
{
	enabled[number] = true;
}

static void disable(uint32_t number)
{
	enabled[number] = false;
}

static bool is_enabled(uint32_t number)
{
	return enabled[number];
}

static const struct arch_hosted_interrupts firmware = { lead, enable, disable, is_enabled, NULL };

static int set_up(void **state)
{
	(void)state;
	memset(handlers, 0, sizeof(handlers));
	memset(enabled, 0, sizeof(enabled));
	refuses = 0;
	hosted_irq_begin(&firmware, ours);
	return 0;
}

static void a_requested_interrupt_is_enabled_and_ours_until_the_end(void **state)
{
	(void)state;
	assert_int_equal(hosted_irq_enable(PMU), 0);
	assert_true(handlers[PMU] == ours && enabled[PMU]);
	hosted_irq_end();
	assert_true(!handlers[PMU] && !enabled[PMU]);
}

static void an_enabled_interrupt_without_a_handler_is_enabled_again(void **state)
{
	(void)state;
	enabled[PMU] = true;
	assert_int_equal(hosted_irq_enable(PMU), 0);
	hosted_irq_end();
	assert_true(!handlers[PMU] && enabled[PMU]);
}

/* Nobody would end the interrupt. */
static void an_interrupt_with_a_handler_of_the_firmware_stays_disabled(void **state)
{
	(void)state;
	handlers[TIMER] = firmwares;
	enabled[TIMER] = true;
	assert_int_equal(hosted_irq_enable(TIMER), 0);
	assert_true(handlers[TIMER] == ours);
	hosted_irq_end();
	assert_true(!handlers[TIMER] && !enabled[TIMER]);
}

static void a_second_request_enables_it_and_keeps_the_saved_state(void **state)
{
	(void)state;
	enabled[PMU] = true;
	assert_int_equal(hosted_irq_enable(PMU), 0);
	hosted_irq_disable(PMU);
	assert_true(handlers[PMU] == ours && !enabled[PMU]);
	for (unsigned i = 0; i < 10; i++)
		assert_int_equal(hosted_irq_enable(PMU), 0);
	assert_true(handlers[PMU] == ours && enabled[PMU]);
	hosted_irq_end();
	assert_true(!handlers[PMU] && enabled[PMU]);
}

static void an_interrupt_that_the_firmware_refused_is_not_given_back(void **state)
{
	(void)state;
	refuses = -ENODEV;
	assert_int_equal(hosted_irq_enable(PMU), -ENODEV);
	refuses = 0;
	handlers[PMU] = firmwares;
	hosted_irq_end();
	assert_true(handlers[PMU] == firmwares);
}

static void there_are_no_more_than_ever_are_asked_for(void **state)
{
	(void)state;
	for (uint32_t number = 16; number < 20; number++)
		assert_int_equal(hosted_irq_enable(number), 0);
	assert_int_equal(hosted_irq_enable(20), -ENOSPC);
	assert_true(!handlers[20] && !enabled[20]);
	hosted_irq_end();
	for (uint32_t number = 16; number < 20; number++)
		assert_true(!handlers[number] && !enabled[number]);
}

#define CASE(name) cmocka_unit_test_setup(name, set_up)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(a_requested_interrupt_is_enabled_and_ours_until_the_end),
		CASE(an_enabled_interrupt_without_a_handler_is_enabled_again),
		CASE(an_interrupt_with_a_handler_of_the_firmware_stays_disabled),
		CASE(a_second_request_enables_it_and_keeps_the_saved_state),
		CASE(an_interrupt_that_the_firmware_refused_is_not_given_back),
		CASE(there_are_no_more_than_ever_are_asked_for),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
