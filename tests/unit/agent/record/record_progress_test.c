/* SPDX-License-Identifier: MIT */
/* A recording's progress, on the screen's last row and on a serial line. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "agent/record/record_beside.h"
#include "agent/record/recording.h"
#include "lib/console/console.h"
#include "lib/platform.h"
#include "lib/print.h"

#define MS 1000000ULL

static struct perf_event events[2][2];
static struct traced_cpu cpus[2];
static struct channel channel;
static struct lines lines;
static struct command command;
static struct recording r;

static uint64_t now;
static char row[FRAMEBUFFER_STATUS + 1], line[65536], text[1024];
static unsigned drawn, most_drawn, takes;

uint64_t clock_steady(void)
{
	return now;
}

void framebuffer_status_open(void)
{
	memset(row, ' ', sizeof(row) - 1);
}

void framebuffer_status_close(void)
{
	framebuffer_status_open();
}

bool framebuffer_status_put(unsigned column, char c)
{
	assert_in_range(column, 0, sizeof(row) - 2);
	if (row[column] == c)
		return false;
	row[column] = c;
	drawn++;
	return true;
}

unsigned console_drip(const char *from, unsigned length)
{
	unsigned count = length < takes ? length : takes;

	assert_int_equal(strnlen(from, length), length);
	strncat(line, from, count);
	return count;
}

void console_printf(const char *format, ...)
{
	va_list arguments;
	size_t used = strlen(text);

	va_start(arguments, format);
	print_text_v(text + used, sizeof(text) - used, format, arguments);
	va_end(arguments);
}

static int begin(void **state)
{
	(void)state;
	memset(events, 0, sizeof(events));
	memset(&r, 0, sizeof(r));
	command.verb = COMMAND_RECORD;
	channel.lines = NULL;
	for (unsigned c = 0; c < 2; c++)
		cpus[c] = (struct traced_cpu){ .recording = &r, .cpu = c, .events = events[c] };
	r.command = &command;
	r.channel = &channel;
	r.cpus = cpus;
	r.nr_cpus = r.nr_events = 2;
	now = 5000 * MS;
	most_drawn = 0;
	takes = 1;
	line[0] = text[0] = 0;
	return 0;
}

/* Run a tick each millisecond. */
static void tick(unsigned ms)
{
	for (; ms > 0; ms--) {
		drawn = 0;
		recording_progress_tick(&r, now);
		most_drawn = drawn > most_drawn ? drawn : most_drawn;
		now += MS;
	}
}

static void row_says(const char *expected)
{
	char trimmed[sizeof(row)];
	size_t length = sizeof(row) - 1;

	memcpy(trimmed, row, sizeof(row));
	while (length > 0 && trimmed[length - 1] == ' ')
		length--;
	trimmed[length] = 0;
	assert_string_equal(trimmed, expected);
}

static void all_events_of_all_cpus_are_summed_once_a_second(void **state)
{
	(void)state;
	recording_progress_begin(&r);
	row_says("");
	events[0][0].account.written = 100;
	events[0][1].account.written = 20;
	events[1][0].account.written = 3;
	events[1][1].account.lost = 7;
	tick(999);
	row_says("recording: 0 s, 123 samples, 7 lost");
	events[1][0].account.written = 1003;
	tick(1);
	row_says("recording: 0 s, 123 samples, 7 lost");
	tick(100);
	row_says("recording: 1 s, 1123 samples, 7 lost");
	recording_progress_end(&r);
	row_says("");
}

static void a_tick_draws_one_character_at_the_most(void **state)
{
	(void)state;
	recording_progress_begin(&r);
	tick(5000);
	assert_int_equal(most_drawn, 1);
	row_says("recording: 4 s, 0 samples, 0 lost");
}

static void a_shorter_text_leaves_nothing_of_a_longer_one(void **state)
{
	(void)state;
	recording_progress_begin(&r);
	events[0][0].account.written = 123456789;
	tick(100);
	events[0][0].account.written = 1; /* another CPU's count, read while it is being written */
	tick(1100);
	row_says("recording: 1 s, 1 samples, 0 lost");
}

static void a_trace_is_shown_by_its_bytes_and_a_count_by_its_time(void **state)
{
	(void)state;
	r.aux_pages = 16;
	cpus[0].aux.head = 3 << 20;
	cpus[1].aux.head = 1 << 20;
	events[0][0].account.written = 4;
	recording_progress_begin(&r);
	tick(200);
	row_says("recording: 0 s, 4096 KiB of trace, 4 records, 0 lost");
	command.verb = COMMAND_STAT;
	recording_progress_begin(&r);
	tick(200);
	row_says("counting: 0 s");
}

static void resident_it_drips_to_the_firmwares_line_in_place(void **state)
{
	(void)state;
	recording_progress_begin(&r);
	events[0][0].account.written = 12;
	tick(1500);
	assert_string_equal(line,
	                    "\rrecording: 0 s, 12 samples, 0 lost"
	                    "\rrecording: 1 s, 12 samples, 0 lost");
	line[0] = 0;
	recording_progress_end(&r);
	assert_string_equal(line, "\r                                  \r");
	tick(20000);
	assert_string_equal(text, "");
}

static void a_line_that_accepts_no_bytes_delays_nothing(void **state)
{
	(void)state;
	takes = 0;
	recording_progress_begin(&r);
	tick(3000);
	recording_progress_end(&r);
	assert_string_equal(line, "");
}

static void exclusive_progress_is_a_line_every_ten_seconds_without_a_reader(void **state)
{
	(void)state;
	channel.lines = &lines;
	recording_progress_begin(&r);
	tick(9999);
	assert_string_equal(text, "");
	tick(10002);
	assert_string_equal(text,
	                    "recording: 10 s, 0 samples, 0 lost\n"
	                    "recording: 20 s, 0 samples, 0 lost\n");
	r.found = TR_READER_READY;
	tick(20000);
	assert_int_equal(strlen(text), 70);
	recording_progress_end(&r);
	assert_string_equal(line, "");
}

#define TEST(function) cmocka_unit_test_setup(function, begin)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(all_events_of_all_cpus_are_summed_once_a_second),
		TEST(a_tick_draws_one_character_at_the_most),
		TEST(a_shorter_text_leaves_nothing_of_a_longer_one),
		TEST(a_trace_is_shown_by_its_bytes_and_a_count_by_its_time),
		TEST(resident_it_drips_to_the_firmwares_line_in_place),
		TEST(a_line_that_accepts_no_bytes_delays_nothing),
		TEST(exclusive_progress_is_a_line_every_ten_seconds_without_a_reader),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
