/* SPDX-License-Identifier: MIT */
/* The lines that the conservation check prints for violated equations. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "tests/unit/host-tools/ledger/check_rig.h"

static void the_line_that_does_not_hold_is_reported_with_its_numbers(void **state)
{
	struct heard heard = { 0 };

	(void)state;
	assert_true(check_conserved(&ledger, check_rig_hear, &heard));
	assert_int_equal(heard.lines, CHECK_LINES);
	ledger.events[0].ledger.branch_lost--;
	assert_false(check_conserved(&ledger, check_rig_hear, &heard));
	assert_int_equal(heard.wrong, 1);
	assert_non_null(strstr(heard.last_wrong,
	                       "event 0 first (CPU 0): recorded 40 + lost 110462 = taken 110500"));
	assert_non_null(strstr(heard.last_wrong, "interrupts 3"));
	check_rig_balance();
	ledger.rings[1].ledger.repeated++;
	assert_false(check_conserved(&ledger, check_rig_hear, &heard));
	assert_non_null(strstr(heard.last_wrong, "doorbell 1: heard 9 = sent 7 + repeated 3"));
}

static void note(void *context, bool holds, const char *line)
{
	char *text = context;

	(void)holds;
	strcat(strcat(text, line), "\n");
}

/* The lines for the first event and ring, all of whose equations are violated. */
static void each_line_says_its_numbers_in_its_order(void **state)
{
	static char text[16384];
	struct ledger_event *event = &ledger.events[0];
	struct ledger_ring *ring = &ledger.rings[0];

	(void)state;
	ledger.head.state = TR_RECORDING;
	event->ledger = (struct tr_event_ledger){
		.generated = 100,
		.written = 11,
		.lost = 12,
		.count = 13,
		.period = 14,
		.period_lost = 15,
		.residue = 16,
	};
	event->found = (struct ledger_found){
		.delivered = 21,
		.newer = 22,
		.period = 24,
		.newer_period = 25,
	};
	ring->ledger.lost = 31;
	ring->ledger.reported = 32;
	ring->ledger.lost_records = 33;
	ring->ledger.data_head = 0x34;
	ring->found.head = 0x35;
	ring->found.lost = 36;
	ring->found.lost_records = 37;
	ring->found.newer_lost = 38;
	ring->found.newer_lost_records = 39;
	assert_false(check_conserved(&ledger, note, text));
	assert_non_null(strstr(
	    text,
	    "event 0 first (CPU 0): generated 100 = written 11 + lost 12 + in flight 77\n"
	    "event 0 first (CPU 0): written 11 + newer 22 = delivered 21 + read elsewhere 0 + "
	    "overwritten 0\n"
	    "event 0 first (CPU 0): count 13 = period 14 + residue 16\n"
	    "event 0 first (CPU 0): period 14 + newer 25 = delivered periods 24 + lost 15\n"));
	assert_non_null(strstr(
	    text,
	    "ring 0: the machine did not end its run; its ledger is of position 0x34, the "
	    "ring's head at 0x35\n"
	    "ring 0: lost 31 = its events' lost 22\n"
	    "ring 0: lost 31 = reported 32 + not yet -1\n"
	    "ring 0: reported 70 in 72 LOST records = delivered 36 in 37\n"
	    "ring 0: wakeups sent 7 = causes 10 - coalesced 3\n"
	    "ring 0: AUX written 1010 = delivered 700 + unread 60 + overwritten 200 + skipped "
	    "50\n"));
	event->found.elsewhere = 23;
	*text = 0;
	check_conserved(&ledger, note, text);
	assert_non_null(strstr(
	    text, "written 11 + newer 22 = delivered 21 + read elsewhere 23 + overwritten 0\n"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, check_rig_setup, check_rig_teardown)
		TEST(the_line_that_does_not_hold_is_reported_with_its_numbers),
		TEST(each_line_says_its_numbers_in_its_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
