/* SPDX-License-Identifier: MIT */
/* A program's output on its way to a reader of the tool's output: a fast, a slow, or a vanished
 * reader. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "host-tools/record/command/guest_output.h"
#include "ringbuf/stream.h"
#include "tests/unit/writer/session/session_rig.h"

#define SIZE 512U

static struct stream streams[2];
static struct guest_output output;
static int pipes[2][2]; /* instead of our standard output and error */

static int set_up(void **state)
{
	(void)state;
	signal(SIGPIPE, SIG_IGN); /* as the tool does */
	fixture_init(&fixture, 0);
	for (unsigned i = 0; i < 2; i++) {
		uint8_t *bytes = fixture.region.stream_bytes + (size_t)i * SIZE;

		stream_init(&streams[i], &fixture.region.streams[i], bytes,
		            (uint64_t)(bytes - fixture.bytes), SIZE);
		assert_int_equal(pipe2(pipes[i], O_NONBLOCK), 0);
	}
	channel_rig_open(&channel, fixture.fd, FIXTURE_SIZE, NULL);
	channel_rig_bring(&channel);
	assert_int_equal(region_open(&region, &channel, &error), 0);
	guest_output_begin(&output, &region, false, false);
	assert_int_equal(output.streams[0].fd, STDOUT_FILENO);
	assert_int_equal(output.streams[1].fd, STDERR_FILENO);
	output.streams[0].fd = pipes[0][1];
	output.streams[1].fd = pipes[1][1];
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	guest_output_end(&output);
	region_close(&region);
	channel_close(&channel);
	fixture_free(&fixture);
	for (unsigned i = 0; i < 4; i++)
		close(pipes[i / 2][i % 2]);
	return 0;
}

static void print(unsigned kind, const char *text)
{
	assert_int_equal(stream_put(&streams[kind], text, strlen(text)), strlen(text));
}

static void show(void)
{
	channel_rig_bring(&channel);
	assert_int_equal(guest_output_show(&output, NULL, 0, &error), 0);
	channel_rig_deliver();
}

static void assert_got(unsigned kind, const char *text, size_t size)
{
	char got[SIZE];

	assert_int_equal(read(pipes[kind][0], got, sizeof(got)), size ? (ssize_t)size : -1);
	assert_memory_equal(got, text, size);
}

static void each_goes_its_own_way_byte_for_byte_and_gives_its_room_back(void **state)
{
	(void)state;
	print(0, "out\n");
	print(1, "\x1b[31merr");
	stream_put(&streams[0], "\0\xff\n", 3);
	show();
	assert_got(0, "out\n\0\xff\n", 7);
	assert_got(1, "\x1b[31merr", 8);
	assert_int_equal(stream_room(&streams[0]), SIZE);
	assert_int_equal(stream_room(&streams[1]), SIZE);
	show();
	assert_got(0, "", 0);
}

static void the_programs_output_goes_elsewhere_if_standard_output_is_the_tools(void **state)
{
	struct guest_output other;

	(void)state;
	guest_output_begin(&other, &region, true, false);
	assert_int_equal(other.streams[0].fd, STDERR_FILENO);
	assert_int_equal(other.streams[1].fd, STDERR_FILENO);
}

/* A pager that does not read: the program continues for a long time, and nothing is lost. */
static void output_that_is_not_read_yet_is_kept_in_order(void **state)
{
	size_t printed = 0, got = 0;
	char byte;

	(void)state;
	fcntl(pipes[0][1], F_SETPIPE_SZ, 4096);
	for (unsigned i = 0; i < 100; i++) {
		char text[401];

		for (unsigned j = 0; j < 400; j++)
			text[j] = (char)('!' + printed++ % 90);
		text[400] = 0;
		print(0, text);
		show();
		assert_int_equal(stream_room(&streams[0]), SIZE);
	}
	while (got < printed) {
		while (read(pipes[0][0], &byte, 1) == 1)
			assert_int_equal(byte, (char)('!' + got++ % 90));
		show();
	}
	assert_int_equal(output.streams[0].kept.size, 0);
}

/* A terminal receives it in pieces. */
static void assert_shown(int terminal, const char *text)
{
	size_t length = 0;
	char got[64] = "";

	while (length < strlen(text)) {
		ssize_t more = read(terminal, got + length, sizeof(got) - 1 - length);

		assert_true(more > 0);
		length += (size_t)more;
	}
	assert_string_equal(got, text);
}

/* The program writes byte by byte, without a buffer. */
static void a_terminal_gets_whole_characters_and_none_that_it_obeys(void **state)
{
	static const char printed[] = "a\xe2\x82\xac\x1b[2J\xc2\x9b\xc3\xa9\x9b.";
	int terminal = posix_openpt(O_RDWR | O_NOCTTY);
	char name[64];
	int to;

	(void)state;
	assert_true(terminal >= 0 && !grantpt(terminal) && !unlockpt(terminal) &&
	            !ptsname_r(terminal, name, sizeof(name)));
	to = open(name, O_RDWR | O_NOCTTY);
	assert_true(to >= 0);
	output.streams[0].fd = to;
	for (size_t i = 0; i < sizeof(printed) - 1; i++) {
		stream_put(&streams[0], printed + i, 1);
		show();
	}
	assert_shown(terminal, "a\xe2\x82\xac?[2J?\xc3\xa9?.");
	print(0, "\xe2\x82"); /* the rest of the character never comes */
	show();
	guest_output_end(&output);
	assert_shown(terminal, "??");
	close(to);
	close(terminal);
}

static void a_reader_that_is_gone_does_not_stop_the_program(void **state)
{
	(void)state;
	close(pipes[0][0]);
	for (unsigned i = 0; i < 10; i++) {
		print(0, "for nobody");
		print(1, "x");
		show();
		assert_int_equal(stream_room(&streams[0]), SIZE);
	}
	assert_true(output.streams[0].closed);
	assert_got(1, "xxxxxxxxxx", 10);
	pipes[0][0] = -1;
}

static void lost_output_is_reported_by_its_size(void **state)
{
	char said[256] = "";
	int before = dup(STDERR_FILENO);

	(void)state;
	print(0, "0123456789");
	stream_make_room(&streams[0], SIZE);
	stream_lose(&streams[1], 77);
	show();
	fflush(stderr);
	dup2(pipes[1][1], STDERR_FILENO);
	guest_output_end(&output);
	dup2(before, STDERR_FILENO);
	close(before);
	assert_true(read(pipes[1][0], said, sizeof(said) - 1) > 0);
	assert_non_null(strstr(said, "LOST 10 bytes of the program's standard output"));
	assert_non_null(strstr(said, "LOST 77 bytes of the program's standard error"));
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(each_goes_its_own_way_byte_for_byte_and_gives_its_room_back),
		TEST(the_programs_output_goes_elsewhere_if_standard_output_is_the_tools),
		TEST(output_that_is_not_read_yet_is_kept_in_order),
		TEST(a_terminal_gets_whole_characters_and_none_that_it_obeys),
		TEST(a_reader_that_is_gone_does_not_stop_the_program),
		TEST(lost_output_is_reported_by_its_size),
	};

	int failed = cmocka_run_group_tests_name("shared memory", tests, NULL, NULL);

	channel_rig_copies = true;
	return failed + cmocka_run_group_tests_name("copying", tests, NULL, NULL);
}
