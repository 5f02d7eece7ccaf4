/* SPDX-License-Identifier: MIT */
/* The host's end of a serial line with the target's own end: fetched bytes are the region's bytes,
 * each store happens once and in order, whatever the line does to frames; and a line that cannot
 * work is reported. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <errno.h>

#include "tests/unit/host-tools/region/serial/wire_rig.h"

#define SECOND 1000000LL
#define UART   11520U /* bytes per second at 115,200 bit/s */
#define PIECES 24U
#define LEASE  offsetof(struct tr_header, reader.lease)
#define READY  offsetof(struct tr_header, reader.ready)

static struct mirror_piece pieces[PIECES];
static uint8_t *fetched;

static bool all_there(void)
{
	return !rig.host.pieces_left;
}

static bool all_stored(void)
{
	return !rig.host.nr_stores;
}

static bool has_failed(void)
{
	return rig.host.state == WIRE_HOST_FAILED;
}

static bool never(void)
{
	return false;
}

/* Pieces of every size from 8 bytes to 64 KiB, all over the region. */
static void want(unsigned count, uint32_t largest)
{
	for (unsigned i = 0; i < count; i++) {
		uint32_t size = i ? 8 * (1 + (uint32_t)rand() % (largest / 8)) : largest;
		uint64_t offset = (uint64_t)rand() % (WIRE_RIG_SIZE - size) / 8 * 8;

		pieces[i] = (struct mirror_piece){ .offset = offset,
			                           .to = fetched + offset,
			                           .size = size,
			                           .records = rand() % 2 };
	}
	assert_int_equal(wire_host_want(&rig.host, pieces, count, rig.now), 0);
}

static void are_as_there(unsigned count)
{
	for (unsigned i = 0; i < count; i++) {
		assert_true(pieces[i].done);
		assert_memory_equal(pieces[i].to, rig.memory + pieces[i].offset, pieces[i].size);
	}
}

static int begin(void **state)
{
	(void)state;
	fetched = calloc(1, WIRE_RIG_SIZE);
	assert_non_null(fetched);
	return 0;
}

static int end(void **state)
{
	(void)state;
	wire_rig_end();
	free(fetched);
	return 0;
}

/* ---- A line that works ---- */

static void pieces_come_as_they_are(void **state)
{
	(void)state;
	wire_rig_begin(0);
	assert_true(wire_rig_until(wire_rig_is_framed, SECOND));
	want(PIECES, 65536);
	assert_true(wire_rig_until(all_there, 10 * SECOND));
	are_as_there(PIECES);
	assert_int_equal(rig.host.counts.repeated, 0);
	assert_int_equal(rig.host.counts.damaged + rig.host.counts.gaps, 0);
	assert_int_equal(rig.line.faults + rig.line.damaged, 0);
}

/* Random bytes, which cannot be compressed, at 115,200 bit/s. */
static void a_long_fetch_leaves_no_twentieth_of_the_line_to_itself_or_to_anything_else(void **state)
{
	uint64_t moved, idle;

	(void)state;
	wire_rig_begin(UART);
	assert_true(wire_rig_until(wire_rig_is_framed, 2 * SECOND));
	moved = rig.to_host.moved;
	idle = rig.to_host.idle;
	pieces[0] = (struct mirror_piece){ .offset = 131072, .to = fetched, .size = 65536 };
	pieces[1] = (struct mirror_piece){ .offset = 262144, .to = fetched + 65536, .size = 65536 };
	assert_int_equal(wire_host_want(&rig.host, pieces, 2, rig.now), 0);
	assert_true(wire_rig_until(all_there, 20 * SECOND));
	moved = rig.to_host.moved - moved;
	idle = rig.to_host.idle - idle;
	print_message("of the line's time %.1f %% used, of its bytes %.1f %% content\n",
	              100.0 * (double)moved / (double)(moved + idle), 13107200.0 / (double)moved);
	assert_true(moved * 100 >= (moved + idle) * 95);
	assert_true(131072 * 100ULL >= moved * 95);
	assert_memory_equal(fetched, rig.memory + 131072, 65536);
	assert_memory_equal(fetched + 65536, rig.memory + 262144, 65536);
}

static void bursts_fit_the_fifo_that_the_target_reported(void **state)
{
	const uint8_t *bytes;
	int64_t since;

	(void)state;
	wire_rig_begin(0);
	rig.line.burst = 7;
	rig.line.burst_us = 5000;
	assert_true(wire_rig_until(wire_rig_is_framed, 2 * SECOND));
	wire_rig_until(never, 100000);
	want(4, 64);
	since = rig.now;
	for (unsigned sent = 0; since + 20000 > rig.now; rig.now += 100) {
		size_t size = wire_host_give(&rig.host, &bytes, rig.now);

		wire_host_gave(&rig.host, size, rig.now);
		sent += (unsigned)size;
		assert_true(size <= 7 && sent <= 7 * (1 + (rig.now - since) / 5000));
	}
}

static void text_before_the_first_hello_and_behind_bye_is_passed_on(void **state)
{
	(void)state;
	wire_rig_begin(UART);
	rig.console = 21;
	assert_true(wire_rig_until(wire_rig_is_framed, 5 * SECOND));
	wire_rig_until(never, SECOND / 2);
	assert_non_null(strstr(rig.text, "bareperf 0.1.0\r\nready\r\n"));
	rig.console += 15;
	wire_rig_until(never, SECOND / 2);
	/* in framed mode: the region has the text */
	assert_null(strstr(rig.text + 24, "bareperf"));
	wire_host_bye(&rig.host);
	wire_rig_until(never, SECOND / 2);
	assert_false(rig.line.framed);
	rig.console += 21;
	wire_rig_until(never, SECOND / 2);
	assert_non_null(strstr(rig.text + 24, "bareperf"));
	assert_int_equal(rig.host.counts.damaged, 0);
}

static void a_byte_that_is_none_of_text_costs_its_line_alone(void **state)
{
	static const char text[] = "one\r\nt\x01wo\r\nthree\r\n";

	(void)state;
	wire_rig_begin(UART);
	wire_host_take(&rig.host, (const uint8_t *)text, sizeof(text) - 1, rig.now);
	assert_string_equal(rig.text, "one\r\nthree\r\n");
}

static void bytes_that_are_no_longer_wanted_are_not_stored(void **state)
{
	(void)state;
	wire_rig_begin(UART);
	assert_true(wire_rig_until(wire_rig_is_framed, 2 * SECOND));
	want(1, 65536);
	wire_rig_until(never, SECOND);
	assert_false(all_there());
	wire_host_want(&rig.host, NULL, 0, rig.now);
	memset(fetched, 0xaa, WIRE_RIG_SIZE);
	wire_rig_until(never, SECOND);
	for (size_t i = 0; i < WIRE_RIG_SIZE; i++)
		assert_int_equal(fetched[i], 0xaa);
	want(2, 256);
	assert_true(wire_rig_until(all_there, 10 * SECOND));
	are_as_there(2);
}

/* ---- One that does not, always ---- */

static void set_faults(unsigned each)
{
	rig.to_host.faults = rig.to_target.faults = (struct line_faults){ each, each, each, each };
}

static void fetches_are_exact_whatever_is_lost_flipped_doubled_or_late(void **state)
{
	(void)state;
	for (unsigned each = 10; each <= 200; each += 38) {
		if (each > 10)
			wire_rig_end();
		wire_rig_begin(0);
		set_faults(each);
		assert_true(wire_rig_until(wire_rig_is_framed, 100 * SECOND));
		for (unsigned round = 0; round < 4; round++) {
			memset(fetched, 0, WIRE_RIG_SIZE);
			want(PIECES, 16384);
			assert_true(wire_rig_until(all_there, 1000 * SECOND));
			are_as_there(PIECES);
		}
		assert_true(rig.host.counts.repeated > 0);
	}
}

/* The machine's words are checked at each step: a store that happened twice or out of order would
 * make them go back. */
static uint32_t last_lease;
static uint64_t last_ready;

static bool steps_forward(void)
{
	uint32_t lease;
	uint64_t ready;

	memcpy(&lease, rig.memory + LEASE, sizeof(lease));
	memcpy(&ready, rig.memory + READY, sizeof(ready));
	assert_true(lease >= last_lease && ready >= last_ready);
	assert_true(ready <= lease); /* ready is always published after lease */
	last_lease = lease;
	last_ready = ready;
	return all_stored();
}

static void stores_are_done_once_and_in_order_whatever_happens_to_them(void **state)
{
	char text[TR_MAILBOX_TEXT];

	(void)state;
	wire_rig_begin(0);
	set_faults(150);
	last_lease = 0;
	last_ready = 0;
	for (size_t i = 0; i < sizeof(text); i++)
		text[i] = (char)rand();
	assert_true(wire_rig_until(wire_rig_is_framed, 100 * SECOND));
	for (uint32_t i = 1; i <= 200; i++) {
		uint64_t ready = i;

		wire_host_store(&rig.host, LEASE, &i, sizeof(i));
		if (i == 100)
			wire_host_store(&rig.host, 4096 + offsetof(struct tr_mailbox, text), text,
			                sizeof(text));
		wire_host_store(&rig.host, READY, &ready, sizeof(ready));
		wire_rig_until(steps_forward, (rand() % 4) * SECOND / 50);
	}
	assert_true(wire_rig_until(steps_forward, 1000 * SECOND));
	assert_int_equal(last_lease, 200);
	assert_int_equal(last_ready, 200);
	assert_int_equal(rig.host.stored, rig.host.calls);
	assert_memory_equal(rig.memory + 4096 + offsetof(struct tr_mailbox, text), text,
	                    sizeof(text));
}

static bool is_cleared(void)
{
	return !rig.host.clears_left;
}

static void each_doorbell_that_rang_is_reported_once_whatever_happens(void **state)
{
	unsigned rang = 0, reported = 0;

	(void)state;
	wire_rig_begin(0);
	set_faults(150);
	assert_true(wire_rig_until(wire_rig_is_framed, 100 * SECOND));
	for (unsigned round = 0; round < 100; round++) {
		struct channel_bell bells[3] = { { .pending = 8192 },
			                         { .pending = 0 },
			                         { .pending = 8192 + 64 } };

		for (unsigned i = 0; i < 2; i++) {
			uint32_t yes = (uint32_t)rand() % 2;

			memcpy(rig.memory + 8192 + 64 * i, &yes, sizeof(yes));
			rang += yes;
		}
		assert_int_equal(wire_host_clear(&rig.host, bells, 3), 0);
		assert_true(wire_rig_until(is_cleared, 100 * SECOND));
		reported += bells[0].was_set + bells[2].was_set;
		assert_false(bells[1].was_set);
	}
	assert_int_equal(reported, rang);
}

static void a_line_that_was_dead_for_minutes_continues(void **state)
{
	uint32_t lease = 1;

	(void)state;
	wire_rig_begin(UART);
	assert_true(wire_rig_until(wire_rig_is_framed, 2 * SECOND));
	want(PIECES, 4096);
	wire_rig_until(never, SECOND / 4);
	assert_false(all_there());
	rig.to_host.cut = rig.to_target.cut = true;
	for (unsigned i = 0; i < 180 * 5; i++, lease++) {
		wire_host_store(&rig.host, LEASE, &lease, sizeof(lease));
		wire_rig_until(never, SECOND / 5);
	}
	assert_int_equal(rig.host.state, WIRE_HOST_SEEKING);
	assert_false(rig.line.framed);
	assert_true(rig.host.nr_stores <= WIRE_STORES + 1); /* stores do not accumulate */
	rig.to_host.cut = rig.to_target.cut = false;
	assert_true(wire_rig_until(all_there, 60 * SECOND));
	are_as_there(PIECES);
	assert_true(wire_rig_until(all_stored, SECOND));
	lease--;
	assert_memory_equal(rig.memory + LEASE, &lease, sizeof(lease));
}

/* ---- One that never does ---- */

static void is_reported(const char *what)
{
	wire_rig_until(has_failed, 60 * SECOND);
	if (!has_failed())
		fail_msg("not «%s»", what);
	if (!strstr(rig.host.error.text, what))
		fail_msg("%s", rig.host.error.text);
}

static void a_line_that_eats_xon_and_xoff_is_reported_with_advice(void **state)
{
	(void)state;
	wire_rig_begin(UART);
	rig.to_target.eats[0x11] = rig.to_target.eats[0x13] = true;
	is_reported("loses or changes the bytes 0x11 0x13: that is software flow control");
	wire_rig_end();
	wire_rig_begin(UART);
	rig.to_host.eats[0x11] = rig.to_host.eats[0x13] = true;
	is_reported("loses or changes the bytes 0x11 0x13: that is software flow control");
}

static void a_line_that_eats_iac_is_reported_with_advice(void **state)
{
	(void)state;
	wire_rig_begin(UART);
	rig.to_host.eats[0xff] = true;
	is_reported("the byte 0xff: that is telnet");
}

static void a_line_of_seven_bits_is_not_taken_for_one_of_eight(void **state)
{
	(void)state;
	wire_rig_begin(UART);
	rig.to_target.mask = 0x7f;
	wire_rig_until(has_failed, 60 * SECOND);
	assert_false(wire_rig_is_framed());
}

static void a_noisy_line_is_not_taken_for_one_that_eats_bytes(void **state)
{
	(void)state;
	for (unsigned round = 0; round < 10; round++) {
		if (round)
			wire_rig_end();
		wire_rig_begin(UART);
		set_faults(100);
		assert_true(wire_rig_until(wire_rig_is_framed, 200 * SECOND));
	}
}

/* ---- Another version, another machine ---- */

static void major_2(uint8_t *body, size_t *size)
{
	(void)size;
	if (body[0] == WIRE_HELLO)
		body[WIRE_HEAD + 2] = 2;
}

static void minor_9_with_words_more(uint8_t *body, size_t *size)
{
	if (body[0] != WIRE_HELLO && body[0] != WIRE_STATUS)
		return;
	if (body[0] == WIRE_HELLO)
		body[WIRE_HEAD] = 9;
	memset(body + *size, 0xee, 8);
	*size += 8;
}

static void another_major_version_is_refused_by_both_numbers(void **state)
{
	(void)state;
	wire_rig_begin(UART);
	rig.to_host.change = major_2;
	is_reported("the firmware speaks wire 2.0, this bareperf 1.0");
	assert_int_equal(rig.host.code, -EPROTONOSUPPORT);
}

static void another_minor_version_is_read_on(void **state)
{
	(void)state;
	wire_rig_begin(UART);
	rig.to_host.change = minor_9_with_words_more;
	assert_true(wire_rig_until(wire_rig_is_framed, 2 * SECOND));
	want(4, 1024);
	assert_true(wire_rig_until(all_there, 10 * SECOND));
	are_as_there(4);
	wire_rig_until(never, 2 * SECOND);
	assert_true(rig.host.counts.status > 0);
}

static void a_reset_machine_is_reported_and_gets_no_old_stores(void **state)
{
	uint32_t lease = 7;

	(void)state;
	wire_rig_begin(UART);
	assert_true(wire_rig_until(wire_rig_is_framed, 2 * SECOND));
	rig.region.nonce++;
	rig.line.last_store = 0;
	rig.to_target.cut = true;
	wire_rig_until(never, SECOND);
	wire_host_store(&rig.host, LEASE, &lease, sizeof(lease));
	wire_rig_until(never, 3 * SECOND);
	rig.to_target.cut = false;
	is_reported("the machine was reset");
	wire_rig_until(never, SECOND);
	memcpy(&lease, rig.memory + LEASE, sizeof(lease));
	assert_int_equal(lease, 0);
}

static void a_machine_without_a_region_yet_is_waited_for(void **state)
{
	(void)state;
	wire_rig_begin(UART);
	rig.region.memory = NULL;
	assert_false(wire_rig_until(wire_rig_is_framed, 5 * SECOND));
	assert_true(rig.host.has_welcome);
	rig.region.memory = rig.memory;
	assert_true(wire_rig_until(wire_rig_is_framed, 2 * SECOND));
}

/* ---- A target that lies ---- */

static void data_out_of_its_bounds(uint8_t *body, size_t *size)
{
	(void)size;
	if (body[0] == WIRE_DATA)
		body[WIRE_HEAD + 3] = 0x7f; /* at */
}

static void answers_that_make_no_sense_end_it_and_touch_nothing(void **state)
{
	(void)state;
	wire_rig_begin(UART);
	rig.to_host.change = data_out_of_its_bounds;
	assert_true(wire_rig_until(wire_rig_is_framed, 2 * SECOND));
	want(1, 1024);
	is_reported("answers make no sense");
	for (size_t i = 0; i < WIRE_RIG_SIZE; i++)
		assert_int_equal(fetched[i], 0);
}

static void a_store_that_the_machine_refuses_is_reported(void **state)
{
	const uint64_t word = 1;

	(void)state;
	wire_rig_begin(UART);
	assert_true(wire_rig_until(wire_rig_is_framed, 2 * SECOND));
	wire_host_store(&rig.host, 0, &word, sizeof(word));
	is_reported("refuses a store at 0x0");
}

static void bytes_at_random_are_survived(void **state)
{
	(void)state;
	wire_rig_begin(UART);
	assert_true(wire_rig_until(wire_rig_is_framed, 2 * SECOND));
	want(4, 4096);
	for (unsigned i = 0; i < 200000; i++) {
		uint8_t byte = (uint8_t)rand();

		rig.text_size = 0;
		wire_host_take(&rig.host, &byte, 1, rig.now);
	}
	assert_true(wire_rig_until(all_there, 60 * SECOND));
	are_as_there(4);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)
		TEST(pieces_come_as_they_are),
		TEST(a_long_fetch_leaves_no_twentieth_of_the_line_to_itself_or_to_anything_else),
		TEST(bursts_fit_the_fifo_that_the_target_reported),
		TEST(text_before_the_first_hello_and_behind_bye_is_passed_on),
		TEST(a_byte_that_is_none_of_text_costs_its_line_alone),
		TEST(bytes_that_are_no_longer_wanted_are_not_stored),
		TEST(fetches_are_exact_whatever_is_lost_flipped_doubled_or_late),
		TEST(stores_are_done_once_and_in_order_whatever_happens_to_them),
		TEST(each_doorbell_that_rang_is_reported_once_whatever_happens),
		TEST(a_line_that_was_dead_for_minutes_continues),
		TEST(a_line_that_eats_xon_and_xoff_is_reported_with_advice),
		TEST(a_line_that_eats_iac_is_reported_with_advice),
		TEST(a_line_of_seven_bits_is_not_taken_for_one_of_eight),
		TEST(a_noisy_line_is_not_taken_for_one_that_eats_bytes),
		TEST(another_major_version_is_refused_by_both_numbers),
		TEST(another_minor_version_is_read_on),
		TEST(a_reset_machine_is_reported_and_gets_no_old_stores),
		TEST(a_machine_without_a_region_yet_is_waited_for),
		TEST(answers_that_make_no_sense_end_it_and_touch_nothing),
		TEST(a_store_that_the_machine_refuses_is_reported),
		TEST(bytes_at_random_are_survived),
	};

	srand(1);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
