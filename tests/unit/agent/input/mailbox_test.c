/* SPDX-License-Identifier: MIT */
/* The mailbox between the host's code and the firmware's; and a host that writes anything. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "agent/input/mailbox.h"
#include "arch/host/step.h"
#include "host-tools/region/mailbox.h"
#include "tests/unit/host-tools/region/channel_rig.h"
#include "tests/unit/host-tools/region_fixture.h"

static struct fixture fixture;
static struct channel channel;
static struct region region;
static struct mailbox_request request;
static struct tr_mailbox *box;

static int setup(void **state)
{
	struct error error = { "" };

	(void)state;
	fixture_init(&fixture, 0);
	box = fixture.region.mailbox;
	/* The firmware's count of commands continues from test to test, as it does from run to run.
	 * */
	mailbox_watch(&fixture.region, &box->reply);
	box->request = box->reply;
	channel_rig_open(&channel, fixture.fd, FIXTURE_SIZE, NULL);
	channel_rig_bring(&channel);
	return region_open(&region, &channel, &error) || region_load(&region, &error);
}

static int teardown(void **state)
{
	(void)state;
	if (mailbox_poll(&fixture.region, &request))
		mailbox_reply(&fixture.region, &request, 0, NULL);
	region_close(&region);
	channel_close(&channel);
	fixture_free(&fixture);
	return 0;
}

static bool poll_(void)
{
	return mailbox_poll(&fixture.region, &request);
}

/* Post as the host's code does; the machine has the command when this returns. */
static uint32_t post_command(const char *text)
{
	struct error error = { "" };
	uint32_t number;

	channel_rig_bring(&channel);
	assert_int_equal(mailbox_send(&region, text, &number, &error), 0);
	channel_rig_deliver();
	return number;
}

static bool answered(uint32_t number, int *status)
{
	channel_rig_bring(&channel);
	return mailbox_answered(&region, number, status);
}

static void a_command_is_there_until_it_is_answered(void **state)
{
	uint32_t number, polled;
	const uint32_t *word;
	int status = 1;

	(void)state;
	assert_false(poll_());
	number = post_command("record -e cycles");
	word = mailbox_watch(&fixture.region, &polled);
	assert_int_not_equal(*word, polled);
	for (int i = 0; i < 2; i++) {
		assert_true(poll_());
		assert_int_equal(request.number, number);
		assert_int_equal(request.code, 0);
		assert_string_equal(request.text, "record -e cycles");
	}
	mailbox_watch(&fixture.region, &polled);
	assert_int_equal(*word, polled);
	assert_false(answered(number, &status));
	assert_int_equal(status, 1);
	mailbox_reply(&fixture.region, &request, -EBUSY, "later");
	assert_true(answered(number, &status));
	assert_int_equal(status, -EBUSY);
	assert_string_equal(box->reply_text, "later");
	assert_false(answered(number + 1, &status));
	assert_false(poll_());
	assert_int_equal(post_command("list"), number + 1);
	assert_true(poll_());
	assert_string_equal(request.text, "list");
	mailbox_reply(&fixture.region, &request, 0, NULL);
	assert_string_equal(box->reply_text, "");
}

/* Post these bytes under the next number, also ones that the host's own code would refuse. */
static void post(const char *text, uint32_t size, uint32_t length)
{
	memset(box->text, 'x', sizeof(box->text));
	memcpy(box->text, text, size);
	box->length = length;
	box->request++;
}

static void accepts(const char *text, uint32_t length)
{
	post(text, length, length);
	assert_true(poll_());
	assert_int_equal(request.code, 0);
	assert_int_equal(strlen(request.text), length);
	assert_memory_equal(request.text, text, length);
	mailbox_reply(&fixture.region, &request, 0, NULL);
}

static void refuses(const char *text, uint32_t size, uint32_t length)
{
	post(text, size, length);
	assert_true(poll_());
	assert_int_equal(request.code, -EINVAL);
	assert_string_equal(request.text, "");
	mailbox_reply(&fixture.region, &request, request.code, NULL);
}

static void only_text_that_fits_is_taken(void **state)
{
	char longest[TR_MAILBOX_TEXT + 1];

	(void)state;
	memset(longest, '~', sizeof(longest));
	accepts("", 0);
	accepts(" ", 1);
	accepts(longest, TR_MAILBOX_TEXT);
	refuses(longest, TR_MAILBOX_TEXT, TR_MAILBOX_TEXT + 1);
	refuses("list", 4, UINT32_MAX);
	refuses("list", 4, 1U << 31);
	for (int c = 0; c < 256; c++) {
		char text[4] = { 'a', 'b', (char)c, 'd' };

		if (c >= ' ' && c <= '~')
			accepts(text, 4);
		else
			refuses(text, 4, 4);
	}
}

static void a_polled_command_is_the_one_that_is_answered(void **state)
{
	uint32_t number;

	(void)state;
	number = post_command("first");
	assert_true(poll_());
	memcpy(box->text, "other", 5);
	box->length = UINT32_MAX;
	box->request = number + 7;
	box->reply = number + 7; /* the reply in the region is not believed either */
	assert_string_equal(request.text, "first");
	mailbox_reply(&fixture.region, &request, 0, NULL);
	assert_int_equal(box->reply, number);
	box->length = 5;
	assert_true(poll_());
	assert_int_equal(request.number, number + 7);
	assert_string_equal(request.text, "other");
}

static void the_command_behind_the_one_under_way_is_looked_for_by_its_whole_text(void **state)
{
	(void)state;
	assert_false(mailbox_has(&fixture.region, "stop"));
	post_command("stop");
	assert_true(mailbox_has(&fixture.region, "stop"));
	assert_true(poll_());
	/* the command that is being carried out does not count */
	assert_false(mailbox_has(&fixture.region, "stop"));
	post("stop", 4, 4);
	assert_true(mailbox_has(&fixture.region, "stop"));
	assert_true(mailbox_has(&fixture.region, "stop")); /* and stays */
	assert_false(mailbox_has(&fixture.region, "sto"));
	assert_false(mailbox_has(&fixture.region, "stops"));
	box->length = 5;
	assert_false(mailbox_has(&fixture.region, "stop"));
	box->length = 3;
	assert_false(mailbox_has(&fixture.region, "stop"));
	box->length = 4;
	box->text[0] = 'S';
	assert_false(mailbox_has(&fixture.region, "stop"));
	box->text[0] = 's';
	mailbox_reply(&fixture.region, &request, 0, NULL);
	assert_true(poll_());
	assert_string_equal(request.text, "stop");
	mailbox_reply(&fixture.region, &request, 0, NULL);
	assert_false(mailbox_has(&fixture.region, "stop"));
}

static bool has_slower(const char *text, uint32_t length, uint64_t *value)
{
	memset(box->text, '9', 64); /* the bytes behind the text do not belong to it */
	memcpy(box->text, text, strlen(text));
	box->length = length;
	return mailbox_has_number(&fixture.region, "slower ", 1000, value);
}

static void so_is_one_with_a_number_within_its_bounds(void **state)
{
	static const char *const none[] = { "slower ",     "slower 0",  "slower 1001", "slower 4x",
		                            "slower -4",   "slower  4", "slowe 4",     "Slower 4",
		                            "slower 0x10", "slower 1 0" };
	uint64_t value;

	(void)state;
	post_command("record");
	assert_true(poll_());
	assert_false(has_slower("slower 4", 8, &value)); /* no digits follow */
	box->request++;
	for (uint64_t n = 1; n <= 1000; n += 111) {
		char text[32];
		int length = snprintf(text, sizeof(text), "slower %u", (unsigned)n);

		assert_true(has_slower(text, (uint32_t)length, &value));
		assert_int_equal(value, n);
	}
	for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++)
		assert_false(has_slower(none[i], (uint32_t)strlen(none[i]), &value));
	assert_true(has_slower("slower 44", 8, &value)); /* the second 4 is beyond `length` */
	assert_int_equal(value, 4);
	assert_true(has_slower("slower 000000000000000004", 7 + 18, &value));
	assert_false(has_slower("slower 0000000000000000004", 7 + 19, &value));
	assert_false(has_slower("slower 4", UINT32_MAX, &value));
	assert_false(has_slower("slower 4", 3, &value));
}

static void an_answer_is_cut_to_its_room(void **state)
{
	char text[2 * TR_MAILBOX_TEXT];

	(void)state;
	memset(text, 'a', sizeof(text));
	text[sizeof(text) - 1] = 0;
	post_command("help");
	assert_true(poll_());
	mailbox_reply(&fixture.region, &request, 0, text);
	assert_int_equal(strlen(box->reply_text), sizeof(box->reply_text) - 1);
}

/* ---- A host that writes meanwhile ---- */

/* short, because each instruction of a poll is tried with a signal or more */
#define POSTED "abcd"

/* The valid results of a poll during changes. Returns whether the poll took the command. */
static bool text_or_refusal(void)
{
	assert_true(!request.code || request.code == -EINVAL);
	assert_string_equal(request.text, request.code ? "" : POSTED);
	return !request.code;
}

/* number of the poll's instruction; the one before which the text changes */
static volatile int step, spoilt_at;
static void (*volatile change)(void);

static void on_trap(int signal, siginfo_t *info, void *context)
{
	(void)signal;
	(void)info;
	if (step++ < spoilt_at)
		return;
	change();
	host_step_leave(context);
}

static void lengthen(void)
{
	__atomic_store_n(&box->length, UINT32_MAX, __ATOMIC_RELAXED);
}

static void shorten(void)
{
	__atomic_store_n(&box->length, strlen(POSTED), __ATOMIC_RELAXED);
}

static void spoil_text(void)
{
	__atomic_store_n(&box->text[3], '\033', __ATOMIC_RELAXED);
}

static void mend_text(void)
{
	__atomic_store_n(&box->text[3], 'd', __ATOMIC_RELAXED);
}

/* One change before one instruction of a poll, for each instruction. */
static void change_at_each_instruction(void (*first)(void), void (*then)(void))
{
	unsigned taken = 0, refused = 0;

	change = then;
	spoilt_at = 0;
	do {
		bool got;

		first();
		step = 0;
		host_step_start();
		got = poll_();
		host_step_end();
		assert_true(got);
		if (text_or_refusal())
			taken++;
		else
			refused++;
	} while (step > spoilt_at++); /* otherwise the poll ended before that instruction */
	assert_true(taken && refused);
}

static void a_change_between_any_two_instructions_of_a_poll_comes_before_or_after_it(void **state)
{
	struct sigaction action = { .sa_sigaction = on_trap, .sa_flags = SA_SIGINFO }, old;

	(void)state;
	if (!HOST_CAN_STEP)
		skip();
	post(POSTED, strlen(POSTED), strlen(POSTED));
	sigaction(SIGTRAP, &action, &old);
	change_at_each_instruction(shorten, lengthen);
	change_at_each_instruction(lengthen, shorten);
	shorten();
	change_at_each_instruction(mend_text, spoil_text);
	change_at_each_instruction(spoil_text, mend_text);
	sigaction(SIGTRAP, &old, NULL);
}

static int stop;

/* Changes the length and the text of a posted command all the time. */
static void *spoil(void *nothing)
{
	while (!__atomic_load_n(&stop, __ATOMIC_RELAXED)) {
		for (unsigned i = 0; i < 1000; i++) {
			lengthen();
			shorten();
		}
		spoil_text();
		mend_text();
	}
	return nothing;
}

static void a_host_that_writes_meanwhile_gets_text_or_a_refusal(void **state)
{
	pthread_t thread;

	(void)state;
	post(POSTED, strlen(POSTED), strlen(POSTED));
	assert_int_equal(pthread_create(&thread, NULL, spoil, NULL), 0);
	for (unsigned i = 0; i < 100000; i++) {
		assert_true(poll_());
		text_or_refusal();
	}
	__atomic_store_n(&stop, 1, __ATOMIC_RELAXED);
	pthread_join(thread, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
		TEST(a_command_is_there_until_it_is_answered),
		TEST(only_text_that_fits_is_taken),
		TEST(a_polled_command_is_the_one_that_is_answered),
		TEST(the_command_behind_the_one_under_way_is_looked_for_by_its_whole_text),
		TEST(so_is_one_with_a_number_within_its_bounds),
		TEST(an_answer_is_cut_to_its_room),
		TEST(a_change_between_any_two_instructions_of_a_poll_comes_before_or_after_it),
		TEST(a_host_that_writes_meanwhile_gets_text_or_a_refusal),
	};

	int failed = cmocka_run_group_tests_name("shared memory", tests, NULL, NULL);

	channel_rig_copies = true;
	return failed + cmocka_run_group_tests_name("copying", tests, NULL, NULL);
}
