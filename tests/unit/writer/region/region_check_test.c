/* SPDX-License-Identifier: MIT */
/* The counts of a region's tables, which are also the sizes of the host's arrays. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "tests/unit/host-tools/region_fixture.h"
#include "writer/region/region_check.h"

static struct tr_header header;

static int setup(void **state)
{
	struct fixture fixture;

	(void)state;
	fixture_init(&fixture, 0);
	header = *fixture_header(&fixture);
	fixture_free(&fixture);
	return 0;
}

static void assert_refused(const char *text)
{
	struct error error = { "" };

	assert_int_equal(region_check_tables(&header, &error), -EPROTO);
	if (!strstr(error.text, text))
		fail_msg("\"%s\" is not in \"%s\"", text, error.text);
}

static void a_table_has_no_entry_too_many(void **state)
{
	static const uint32_t most[] = { TR_MAX_CPUS,
		                         TR_MAX_EVENTS,
		                         TR_MAX_EVENTS,
		                         TR_MAX_IMAGES,
		                         TR_MAX_RINGS,
		                         TR_MAX_RINGS,
		                         TR_MAX_RINGS,
		                         1,
		                         1 };
	struct tr_table *tables = &header.cpus;
	char text[64];

	(void)state;
	for (size_t i = 0; i < sizeof(most) / sizeof(most[0]); i++) {
		struct tr_table good = tables[i];

		tables[i].count = most[i] + 1;
		snprintf(text, sizeof(text), "has %u entries, at most %u", most[i] + 1, most[i]);
		assert_refused(text);
		tables[i] = good;
	}
}

static void each_ring_has_a_doorbell_and_a_ledger_and_each_event_a_ledger(void **state)
{
	const struct tr_header good = header;
	struct error error = { "" };

	(void)state;
	assert_int_equal(region_check_tables(&header, &error), 0);
	header.event_ledger.count--;
	assert_refused("4 events, but 3 entries in their ledger");
	header = good;
	header.ring_ledger.count--;
	assert_refused("2 rings, but 1 entries in their ledger");
	header = good;
	header.doorbells.count--;
	assert_refused("2 rings, but 1 doorbells");
	header = good;
	header.mailbox.count = 0;
	assert_refused("there is no mailbox");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(a_table_has_no_entry_too_many, setup),
		cmocka_unit_test_setup(
		    each_ring_has_a_doorbell_and_a_ledger_and_each_event_a_ledger, setup),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
