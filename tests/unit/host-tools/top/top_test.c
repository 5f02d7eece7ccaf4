/* SPDX-License-Identifier: MIT */
/* A live view of a session: messages do not disturb the display, and a slow line is checked in time
 * even if the view is rarely updated. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host-tools/report/report_table.h"
#include "host-tools/session/progress.h"
#include "host-tools/top/top_own.h"
#include "tests/unit/writer/session/session_rig.h"

#define SELDOM 3600.0

static struct top *top;
static struct channel_ops cable;

static uint64_t nothing(const struct channel *unused)
{
	(void)unused;
	return 0;
}

static int setup(void **state)
{
	const struct top_options options = { .wanted = true, .stdio = true, .delay = SELDOM };

	(void)state;
	fixture_init(&fixture, 0);
	session_rig_begin(NULL);
	cable = *channel.ops;
	cable.backlog = nothing;
	channel.ops = &cable;
	top = top_open(&options, &error);
	assert_non_null(top);
	session.options.see = top_see;
	session.options.see_context = top;
	assert_int_equal(top_begin(top, &session, &error), 0);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	top_close(top);
	session_rig_end();
	return 0;
}

static void bring(void)
{
	fixture_publish(&fixture);
	channel_rig_bring(&channel);
	session_rig_drain();
}

static void printing_does_not_change_the_view(void **state)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	(void)state;
	assert_true(fixture_sample(&fixture, 0, 0, 0x1000, 1000, 0));
	assert_true(fixture_sample(&fixture, 0, 1, 0x2000, 1000, 0));
	bring();
	top_refresh(top);
	assert_int_equal(top_print(top, true, "snapshot", out), 0);
	fclose(out);
	assert_non_null(strstr(text, "event 1 of 2"));
	assert_non_null(strstr(text, "event 2 of 2"));
	assert_non_null(strstr(text, "0x0000000000001000"));
	assert_non_null(strstr(text, "0x0000000000002000"));
	free(text);
	assert_int_equal(top->view.evsel, 0);
	assert_non_null(strstr(top->shown.head[top->shown.event], "event 1 of 2"));
	assert_int_equal(top->shown.rows.count, 1);
	assert_int_equal(top->shown.rows.entries[0].key.address, 0x1000);
}

/* More than half a ring at once, and then little, with looks in between that come too early. */
static void a_line_is_looked_at_between_views_with_all_since_the_last_look(void **state)
{
	struct top_slow *slow = &top->data.slow;

	(void)state;
	assert_int_equal(top_turn(top, ""), TOP_ON);
	assert_true(slow->looked > 0);
	slow->looked = progress_now() - 1;
	for (unsigned i = 0; i < 60; i++)
		assert_true(fixture_sample(&fixture, 0, 0, i, 1000, 4));
	bring();
	assert_true(session.readers[0].position > FIXTURE_PAGES * TR_PAGE / 2);
	assert_int_equal(top_turn(top, ""), TOP_ON);
	/* the view was updated */
	memset(top->data.fill, 0, FIXTURE_RINGS * sizeof(*top->data.fill));
	assert_int_equal(slow->factor, 0);
	slow->looked = progress_now() - 10;
	assert_int_equal(top_turn(top, ""), TOP_ON);
	assert_true(slow->factor > 1);
	assert_true(progress_now() - slow->looked < 9);
	assert_true(slow->fill == 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
		TEST(printing_does_not_change_the_view),
		TEST(a_line_is_looked_at_between_views_with_all_since_the_last_look),
	};

	int failed = cmocka_run_group_tests_name("shared memory", tests, NULL, NULL);

	channel_rig_copies = true;
	return failed + cmocka_run_group_tests_name("copying", tests, NULL, NULL);
}
