/* SPDX-License-Identifier: MIT */
/* A program's output leaves in short pieces; its CPU does not stall inside one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "agent/payload/payload_hooks.h"
#include "agent/payload/payload_output.h"
#include "agent/payload/payload_run.h"
#include "agent/record/reader.h"
#include "arch/host/fake_cpu.h"
#include "lib/console/console.h"
#include "pmu/clock/clock.h"

#define SIZE  4096U
#define PIECE 512U

static struct tr_stream shared[TR_STREAMS];
static uint8_t bytes[TR_STREAMS * SIZE], text[2 * SIZE], shown[4 * SIZE];
static struct trace_region region = { .header = (struct tr_header *)bytes,
	                              .streams = shared,
	                              .stream_bytes = bytes,
	                              .limits.stream_size = SIZE };
static unsigned held, sections;
static uint64_t in_section, most, nr_shown;
static bool announced;

bool reader_is_announced(const struct trace_region *r)
{
	assert_ptr_equal(r, &region);
	host_fake_cycles += 1000;
	return announced;
}

void console_write_aside(const char *written, size_t length)
{
	assert_int_equal(held, 1);
	in_section += length;
	most = in_section > most ? in_section : most;
	memcpy(shown + nr_shown, written, length);
	nr_shown += length;
}

void payload_leave_if_ending(void)
{
	assert_int_equal(held, 0);
}

static void hold(void)
{
	assert_int_equal(held++, 0);
	in_section = 0;
	sections++;
}

static void release(void)
{
	assert_int_equal(held--, 1);
}

static const struct payload_hooks hooks = { .hold = hold, .release = release };
const struct payload_hooks *payload_hooks = &hooks;

static int set_up(void **state)
{
	(void)state;
	host_fake_cycles = NSEC_PER_SEC;
	clock_set(&machine_clock, NSEC_PER_SEC, 0);
	for (unsigned i = 0; i < sizeof(text); i++)
		text[i] = (uint8_t)(i * 7 + i / 256);
	announced = true;
	held = sections = 0;
	most = nr_shown = 0;
	payload_output_begin(&region);
	return 0;
}

static void output_is_sent_whole_in_short_pieces(void **state)
{
	(void)state;
	payload_output_write(TR_STREAM_OUT, text, SIZE - 100);
	assert_memory_equal(bytes, text, SIZE - 100);
	assert_int_equal(shared[TR_STREAM_OUT].head, SIZE - 100);
	assert_int_equal(nr_shown, SIZE - 100);
	assert_memory_equal(shown, text, SIZE - 100);
	assert_in_range(most, 1, PIECE);
	assert_int_equal(held, 0);
}

static void unread_output_leaves_in_short_pieces_as_well(void **state)
{
	(void)state;
	payload_output_write(TR_STREAM_ERROR, text, sizeof(text));
	assert_int_equal(shared[TR_STREAM_ERROR].lost, sizeof(text) - SIZE);
	assert_int_equal(nr_shown, sizeof(text));
	assert_memory_equal(shown, text, sizeof(text));
	assert_in_range(most, 1, PIECE);
	announced = false;
	/* the oldest bytes are dropped */
	payload_output_write(TR_STREAM_ERROR, text, sizeof(text));
	assert_int_equal(shared[TR_STREAM_ERROR].lost, 2 * sizeof(text) - SIZE);
	assert_memory_equal(bytes + SIZE * TR_STREAM_ERROR, text + SIZE, SIZE);
	assert_in_range(most, 1, PIECE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(output_is_sent_whole_in_short_pieces, set_up),
		cmocka_unit_test_setup(unread_output_leaves_in_short_pieces_as_well, set_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
