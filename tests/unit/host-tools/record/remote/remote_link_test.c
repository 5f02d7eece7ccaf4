/* SPDX-License-Identifier: MIT */
/* A machine that lives, and one that hangs, with looks that take longer than the time-out. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <poll.h>
#include <string.h>

#include "host-tools/record/remote/remote_link.h"
#include "tests/unit/host-tools/region/channel_rig.h"
#include "tests/unit/host-tools/region_fixture.h"

#define PARTS     4U /* refreshes per look */
#define PART_MS   10
#define TIMEOUT_S 0.025
#define LOOKS     100U

static struct fixture fixture;
static struct remote_link remote;
static struct channel_ops ops;
static struct error error;
static unsigned parts;
static bool beats;

/* All parts except the last take time. */
static int refresh(struct channel *channel, struct error *reason)
{
	(void)channel, (void)reason;
	if (++parts % PARTS) {
		poll(NULL, 0, PART_MS);
		return 1;
	}
	fixture_header(&fixture)->heartbeat += beats;
	return 0;
}

static int setup(void **state)
{
	(void)state;
	fixture_init(&fixture, 0);
	fixture_header(&fixture)->heartbeat = 1;
	remote = (struct remote_link){ .timeout = TIMEOUT_S, .signals = -1 };
	channel_rig_open(&remote.channel, fixture.fd, FIXTURE_SIZE, NULL);
	channel_rig_bring(&remote.channel);
	assert_int_equal(region_open(&remote.region, &remote.channel, &error), 0);
	ops = *remote.channel.ops;
	ops.refresh = refresh;
	remote.channel.ops = &ops;
	parts = 0;
	remote_link_is_alive(&remote);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	remote_link_close(&remote);
	fixture_free(&fixture);
	return 0;
}

static void a_machine_that_hangs_is_silent_though_each_look_brings_bytes(void **state)
{
	int code = 0;

	(void)state;
	beats = false;
	while (!code && parts < LOOKS * PARTS)
		code = remote_link_look(&remote, &error);
	assert_int_equal(code, -ETIMEDOUT);
	assert_non_null(strstr(error.text, "no sign of life for 0.025 s"));
	assert_int_equal(parts % PARTS, 0); /* by a look that has ended */
}

static void a_machine_that_lives_is_not_silent_though_each_look_takes_longer(void **state)
{
	(void)state;
	beats = true;
	while (parts < 10 * PARTS) {
		assert_int_equal(remote_link_look(&remote, &error), 0);
		assert_int_equal(remote_link_check(&remote, &error), 0);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
		    a_machine_that_hangs_is_silent_though_each_look_brings_bytes, setup, teardown),
		cmocka_unit_test_setup_teardown(
		    a_machine_that_lives_is_not_silent_though_each_look_takes_longer, setup,
		    teardown),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
