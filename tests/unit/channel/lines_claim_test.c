/* SPDX-License-Identifier: MIT */
/* Which cards become lines while the firmware continues. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "channel/lines.h"

static struct lines lines;
static char cards[3];
static void *released[3];
static unsigned nr_released;

static bool claim_but_one(void *card)
{
	return card != &cards[1];
}

static void release_card(void *card)
{
	released[nr_released++] = card;
}

static void cards_that_are_not_to_be_had_are_no_lines(void **state)
{
	(void)state;
	lines.nr_ports = 3;
	for (unsigned i = 0; i < 3; i++) {
		lines.ports[i].uart.address = 0x1000 + i;
		lines.ports[i].card = &cards[i];
	}
	lines_claim(&lines, claim_but_one);
	assert_int_equal(lines.nr_ports, 2);
	assert_int_equal(lines.ports[0].uart.address, 0x1000);
	assert_int_equal(lines.ports[1].uart.address, 0x1002);
	lines_release(&lines, release_card);
	assert_int_equal(lines.nr_ports, 0);
	assert_int_equal(nr_released, 2);
	assert_ptr_equal(released[0], &cards[2]);
	assert_ptr_equal(released[1], &cards[0]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cards_that_are_not_to_be_had_are_no_lines),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
