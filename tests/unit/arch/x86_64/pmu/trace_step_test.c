/* SPDX-License-Identifier: MIT */
/* An NMI in the first or last steps of a handler: the state that it finds and leaves. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "arch/arch.h"
#include "arch/x86_64/pmu/trace_step.h"

/* An entry that begins at 20, with its hold and release steps; and a function's. */
#define HOLD                                                                               \
	{                                                                                  \
		.begin = 30, .first = 40, .last = 50, .found = 2, .undone = 1, .entry = 20 \
	}
#define RELEASE                                                                                    \
	{                                                                                          \
		.begin = 60, .first = 70, .last = 80, .found = 1, .undone = 2, .entry = UINT32_MAX \
	}
#define OTHER                                                                    \
	{                                                                        \
		.begin = 90, .first = 100, .last = 110, .found = 2, .undone = 1, \
		.entry = UINT32_MAX                                              \
	}
static const struct trace_step steps[] = { HOLD, RELEASE, OTHER };
#define END (steps + sizeof(steps) / sizeof(*steps))

static uint32_t depth, offset;

static unsigned come(uint32_t at, uint32_t with_depth)
{
	offset = at;
	depth = with_depth;
	return trace_undo(steps, END, &depth, &offset);
}

static void assert_is(uint32_t at, uint32_t with_depth)
{
	assert_int_equal(offset, at);
	assert_int_equal(depth, with_depth);
}

static void an_interrupted_hold_or_release_is_repeated(void **state)
{
	(void)state;
	for (unsigned s = 0; s < END - steps; s++) {
		for (uint32_t at = steps[s].first; at <= steps[s].last; at++) {
			come(at, steps[s].found);
			assert_is(steps[s].begin, steps[s].undone);
		}
		come(steps[s].first - 1, steps[s].found);
		assert_is(steps[s].first - 1, steps[s].found);
		come(steps[s].last + 1, steps[s].found);
		assert_is(steps[s].last + 1, steps[s].found);
	}
}

/* The steps of such a handler change no register, so nothing must be undone. */
static void those_of_a_handler_that_interrupted_another_are_left_alone(void **state)
{
	(void)state;
	for (unsigned s = 0; s < END - steps; s++) {
		for (uint32_t at = steps[s].first; at <= steps[s].last; at++) {
			come(at, steps[s].found + 1);
			assert_is(at, steps[s].found + 1);
		}
	}
}

static void an_interrupt_is_unheard_of_until_it_is_hidden(void **state)
{
	(void)state;
	for (uint32_t at = 0; at < 120; at++)
		assert_int_equal(come(at, 1), at >= 20 && at <= 50 ? ARCH_ENTERED_IN_ENTRY : 0);
	assert_int_equal(come(45, 2), ARCH_ENTERED_IN_ENTRY);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_interrupted_hold_or_release_is_repeated),
		cmocka_unit_test(those_of_a_handler_that_interrupted_another_are_left_alone),
		cmocka_unit_test(an_interrupt_is_unheard_of_until_it_is_hidden),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
