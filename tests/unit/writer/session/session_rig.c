/* SPDX-License-Identifier: MIT */
#include "tests/unit/writer/session/session_rig.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "host-tools/ledger/check.h"
#include "host-tools/ledger/recount.h"
#include "host-tools/session/session_host.h"
#include "tests/unit/temporary.h"

struct fixture fixture;
struct channel channel;
struct region region;
struct session session;
struct error error;
char path[PATH_MAX];

void session_rig_begin(struct ivshmem_server *server)
{
	static const char *const command[] = { "bareperf", "run" };
	const struct session_options options = {
		.host = &session_host, .output = path, .command = command, .command_words = 2
	};

	temporary_path(path, "session");
	unlink(path);
	channel_rig_open(&channel, fixture.fd, FIXTURE_SIZE, server);
	channel_rig_bring(&channel);
	assert_int_equal(region_open(&region, &channel, &error), 0);
	assert_int_equal(session_begin(&session, &region, &options, &error), 0);
}

void session_rig_end(void)
{
	session_end(&session);
	region_close(&region);
	channel_close(&channel);
	fixture_free(&fixture);
	unlink(path);
}

void session_rig_drain(void)
{
	uint64_t got;

	do {
		assert_int_equal(session_drain(&session, &got, &error), 0);
	} while (session.has_more);
	channel_rig_deliver();
}

void session_rig_recount(void)
{
	struct ledger_found events[FIXTURE_RINGS * FIXTURE_EVENTS];
	struct ledger_ring_found rings[FIXTURE_RINGS];
	struct ledger *ledger = &session.ledger;

	for (unsigned i = 0; i < FIXTURE_RINGS * FIXTURE_EVENTS; i++)
		events[i] = ledger->events[i].found;
	for (unsigned i = 0; i < FIXTURE_RINGS; i++)
		rings[i] = ledger->rings[i].found;
	assert_int_equal(recount_file(ledger, path, &error), 0);
	for (unsigned i = 0; i < FIXTURE_RINGS * FIXTURE_EVENTS; i++) {
		assert_int_equal(ledger->events[i].found.delivered, events[i].delivered);
		assert_int_equal(ledger->events[i].found.samples, events[i].samples);
		assert_int_equal(ledger->events[i].found.period, events[i].period);
	}
	for (unsigned i = 0; i < FIXTURE_RINGS; i++) {
		assert_int_equal(ledger->rings[i].found.lost, rings[i].lost);
		assert_int_equal(ledger->rings[i].found.aux_delivered, rings[i].aux_delivered);
	}
	assert_int_equal(ledger->strangers, 0);
	assert_true(check_conserved(ledger, NULL, NULL));
}
