/* SPDX-License-Identifier: MIT */
#include "tests/unit/host-tools/ledger/check_rig.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>

struct ledger ledger;
struct error error;

void check_rig_balance(void)
{
	for (uint32_t i = 0; i < ledger.head.event_count; i++) {
		struct ledger_event *event = &ledger.events[i];

		event->ledger = (struct tr_event_ledger){
			.generated = 110,
			.written = 100,
			.lost = 10,
			.count = 110500,
			.period = 110000,
			.period_lost = 10000,
			.residue = 500,
		};
		event->found =
		    (struct ledger_found){ .delivered = 100, .samples = 100, .period = 100000 };
	}
	for (uint32_t i = 0; i < ledger.head.ring_count; i++) {
		struct ledger_ring *ring = &ledger.rings[i];

		ring->ledger = (struct tr_ring_ledger){
			.lost = 20,
			.reported = 15,
			.lost_records = 3,
			.causes = { 4, 3, 2, 1 },
			.sent = 7,
			.coalesced = 3,
			.repeated = 2,
			.aux_written = 1010,
			.aux_overwritten = 200,
			.aux_skipped = 50,
		};
		ring->found = (struct ledger_ring_found){
			.lost = 15,
			.lost_records = 3,
			.aux_delivered = 700,
			.aux_unread = 60,
			.has_bell = 1,
			.rung = 9,
		};
		ring->ring.vector = i;
		ring->ring.aux_size = TR_PAGE;
	}
	ledger.events[0].ledger.branch_records = 40; /* of 24 bytes */
	ledger.events[0].ledger.branch_interrupts = 3;
	ledger.events[0].ledger.branch_lost = 110500 + 3 - 40;
	ledger.head.state = TR_COMPLETE;
	ledger.strangers = 0;
}

int check_rig_setup(void **state)
{
	struct fixture fixture;
	struct channel channel;
	struct region region;

	(void)state;
	fixture_init(&fixture, 0);
	assert_int_equal(channel_open_memory(&channel, fixture.bytes, FIXTURE_SIZE, false, &error),
	                 0);
	assert_int_equal(region_open(&region, &channel, &error), 0);
	assert_int_equal(region_load(&region, &error), 0);
	assert_int_equal(ledger_init(&ledger, &region, &error), 0);
	region_close(&region);
	channel_close(&channel);
	fixture_free(&fixture);
	check_rig_balance();
	return 0;
}

int check_rig_teardown(void **state)
{
	(void)state;
	ledger_free(&ledger);
	return 0;
}

void check_rig_hear(void *context, bool holds, const char *line)
{
	struct heard *heard = context;

	heard->lines++;
	if (holds)
		return;
	heard->wrong++;
	snprintf(heard->last_wrong, sizeof(heard->last_wrong), "%s", line);
}
