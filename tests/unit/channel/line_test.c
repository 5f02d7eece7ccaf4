/* SPDX-License-Identifier: MIT */
/* The target's end of a serial line: the bytes that it sends, and the words that it stores. */
#include <errno.h>
#include <string.h>

#include "tests/unit/channel/line_rig.h"

#define MSEC 1000000ULL
#define ALL  UINT32_MAX

static int set_up(void **state)
{
	(void)state;
	rig_start();
	return 0;
}

static int framed(void **state)
{
	set_up(state);
	host_hello(1);
	rig_take(ALL);
	return 0;
}

static void type(const char *text)
{
	line_receive(&rig_line, (const uint8_t *)text, (unsigned)strlen(text));
	rig_take(ALL);
}

static void pass(uint64_t ms)
{
	for (uint64_t i = 0; i < ms; i++)
		line_pass(&rig_line, MSEC);
}

static void assert_text(const char *text)
{
	host.text[host.text_size] = '\0';
	assert_string_equal(host.text, text);
	host.text_size = 0;
}

/* ---- Text ---- */

static void without_a_host_the_console_is_text(void **state)
{
	(void)state;
	rig_print("one\ntwo\n");
	assert_int_equal(rig_take(5), 5); /* the five bytes that fit: the CR, and the LF after it */
	rig_take(ALL);
	assert_text("one\r\ntwo\r\n");
	assert_true(line_is_quiet(&rig_line));
	pass(5000);
	assert_int_equal(rig_take(ALL), 0);
}

static void typed_text_is_echoed_and_can_be_edited(void **state)
{
	char command[LINE_COMMAND_MAX + 1];

	(void)state;
	type("lisst\x08\x7ft\r");
	assert_text("lisst\b \b\b \bt\r\n");
	assert_true(line_has_typed(&rig_line, "list"));
	assert_false(line_has_typed(&rig_line, "lis"));
	assert_false(line_has_typed(&rig_line, "lists"));
	type("\nx"); /* CR LF is one end of line; a line that was not taken is lost */
	assert_text("\a");
	assert_true(line_take_typed(&rig_line, command));
	assert_string_equal(command, "list");
	assert_false(line_take_typed(&rig_line, command));
	type("\r\n\n\x08stop\n");
	assert_true(line_has_typed(&rig_line, "stop"));
	assert_true(line_take_typed(&rig_line, command));
	type(
	    "abc\x15\x1b\x80"
	    "d\r");
	assert_true(line_take_typed(&rig_line, command));
	assert_string_equal(command, "d");
}

static void a_key_that_is_pressed_alone_is_reported_while_the_line_listens(void **state)
{
	char command[LINE_COMMAND_MAX + 1];

	(void)state;
	pass(100);
	type("q");
	pass(100);
	assert_false(line_is_pressed(&rig_line)); /* without a recording the key is a letter */
	line_listen(&rig_line, true);
	pass(100);
	type("uiet\x1b[A");
	pass(100);
	type("q");
	pass(100);
	/* the key does not count inside a command either */
	assert_false(line_is_pressed(&rig_line));
	type("\r");
	assert_true(line_take_typed(&rig_line, command));
	assert_string_equal(command, "quiet[Aq");
	type("list\r");
	pass(100);
	type("\x03");
	/* more characters may follow, as in an arrow key's sequence */
	assert_false(line_is_pressed(&rig_line));
	pass(100);
	assert_true(line_is_pressed(&rig_line));
	assert_true(line_take_typed(&rig_line, command)); /* the typed line still waits */
	assert_string_equal(command, "list");
	line_listen(&rig_line, true);
	assert_false(line_is_pressed(&rig_line));
	pass(100);
	type("q");
	pass(100);
	assert_true(line_is_pressed(&rig_line));
	line_listen(&rig_line, false);
	assert_false(line_is_pressed(&rig_line));
	type("list\r");
	assert_true(line_has_typed(&rig_line, "list")); /* the command has no q in front */
}

static void a_command_that_is_too_long_rings(void **state)
{
	char command[LINE_COMMAND_MAX + 1];

	(void)state;
	for (unsigned i = 0; i < LINE_COMMAND_MAX + 5; i++)
		type("a");
	host.text[host.text_size] = '\0';
	assert_int_equal(host.text_size, LINE_COMMAND_MAX + 5);
	assert_string_equal(host.text + LINE_COMMAND_MAX, "\a\a\a\a\a");
	type("\r");
	assert_true(line_take_typed(&rig_line, command));
	assert_int_equal(strlen(command), LINE_COMMAND_MAX);
}

static void an_echo_without_a_reader_is_dropped(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 1000; i++)
		line_receive(&rig_line, (const uint8_t *)"x\b", 2);
	assert_true(rig_take(ALL) <= LINE_ECHO);
}

static void noise_before_hello_does_not_swallow_it(void **state)
{
	(void)state;
	line_receive(&rig_line, (const uint8_t *)"\0noise", 6);
	host_hello(4);
	rig_take(ALL);
	assert_int_equal(host.welcomes, 1);
}

static void a_break_before_a_command_does_not_swallow_it(void **state)
{
	(void)state;
	line_receive(&rig_line, (const uint8_t *)"\0", 1);
	pass(200);
	type("list\r");
	assert_true(line_has_typed(&rig_line, "list"));
}

/* ---- Text and frames ---- */

static void hello_is_answered_with_all_that_it_carries(void **state)
{
	(void)state;
	rig_line.baud = 115200;
	rig_line.baud_max = 1500000;
	rig_print("text\n");
	rig_take(3);
	host_hello(77);
	rig_take(ALL);
	assert_int_equal(host.welcomes, 1);
	assert_int_equal(host.welcome.version, WIRE_VERSION);
	assert_int_equal(host.welcome.host_nonce, 77);
	assert_int_equal(host.welcome.nonce, rig_region.nonce);
	assert_int_equal(host.welcome.region_size, RIG_SIZE);
	assert_int_equal(host.welcome.address, 0x40000000);
	assert_int_equal(host.welcome.machine, 62);
	assert_int_equal(host.welcome.burst, WIRE_BURST);
	assert_int_equal(host.welcome.baud_max, 1500000);
	assert_int_equal(host.welcome.probes, 256);
	for (unsigned i = 0; i < 256; i++)
		assert_int_equal(host.welcome.probe[i], i);
	assert_text("tex"); /* the rest of the text is in the region */
	rig_print("more\n");
	rig_take(ALL);
	assert_text("");
}

static void another_major_version_gets_ours_and_stays_text(void **state)
{
	uint8_t body[WIRE_BODY_MAX];
	struct wire_hello hello = { .version = 2U << 16, .nonce = 5 };

	(void)state;
	host_send(body, wire_put_hello(body, &hello));
	rig_print("text");
	rig_take(ALL);
	assert_int_equal(host.welcomes, 1);
	assert_int_equal(host.welcome.version, WIRE_VERSION);
	assert_false(rig_line.framed);
	assert_text("text");
}

static void bye_and_silence_make_it_text_again(void **state)
{
	uint8_t body[WIRE_BODY_MAX];

	(void)state;
	rig_print("read in the region");
	host_send(body, wire_put_bye(body));
	rig_print("text");
	rig_take(ALL);
	assert_text("text");
	host_hello(2);
	rig_take(ALL);
	for (unsigned i = 0; i < 5; i++) {
		pass(WIRE_SILENCE_MS - 100);
		host_get(0, 8, 0);
		rig_take(ALL);
	}
	assert_true(rig_line.framed);
	pass(WIRE_SILENCE_MS);
	assert_false(rig_line.framed);
	rig_print("again");
	rig_take(ALL);
	assert_text("again");
	type("list\r");
	assert_true(line_has_typed(&rig_line, "list"));
}

/* While a debugger has stopped the machine, or the machine did not look, the host was not silent.
 * */
static void time_without_polls_does_not_count(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 900; i++)
		line_pass(&rig_line, 10000 * MSEC);
	assert_true(rig_line.framed);
}

static void a_frame_before_hello_is_ignored(void **state)
{
	uint32_t lease = 5;

	(void)state;
	host_put_number(1, offsetof(struct tr_header, reader), &lease, 4);
	assert_int_equal(rig_take(ALL), 0);
	assert_int_equal(((struct tr_header *)(void *)rig_memory)->reader.id, 0);
}

/* ---- The region ---- */

static void get_brings_the_bytes_raw_or_encoded(void **state)
{
	(void)state;
	for (unsigned i = 0; i < RIG_SIZE; i++)
		rig_memory[i] = (uint8_t)(i * i >> 8);
	for (unsigned i = 0; i < 40000; i++)
		rig_memory[100000 + i] = (uint8_t)(i / 1000); /* long runs of equal bytes */
	for (uint8_t flags = 0; flags <= WIRE_ENCODED; flags++) {
		host_get(100001, 40000, flags);
		rig_take(ALL);
		assert_int_equal(host.left, 0);
		assert_memory_equal(host.got, rig_memory + 100001, 40000);
		host_get(99904, 65536, flags);
		rig_take(ALL);
		assert_int_equal(host.left, 0);
		assert_memory_equal(host.got, rig_memory + 99904, 65536);
		assert_int_equal(host.encoded, flags == WIRE_ENCODED);
	}
	host_get(RIG_SIZE - 3, 3, 0);
	rig_take(ALL);
	assert_int_equal(host.left, 0);
	assert_int_equal(host.gaps + host.broken, 0);
	assert_int_equal(rig_line.faults, 0);
}

static void bytes_outside_of_the_region_are_not_sent(void **state)
{
	(void)state;
	host_get(RIG_SIZE - 3, 4, 0);
	host_get(UINT64_MAX - 3, 8, 0);
	host_get(0, 0, 0);
	host_get(0, WIRE_GET_MAX + 1, 0);
	rig_take(ALL);
	assert_int_equal(host.datas, 0);
	assert_int_equal(rig_line.faults, 4);
}

static void eight_gets_are_kept_and_answered_in_their_order(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 9; i++)
		host_get(i * 8, 8, 0);
	rig_take(ALL);
	assert_int_equal(host.datas, WIRE_GETS);
	assert_int_equal(host.left, 8); /* the ninth */
	host.tag--;
	for (unsigned i = 0; i < 3; i++, host.tag--)
		host_get(i * 8, 496, 0); /* all with the same tag */
	rig_take(ALL);
	assert_int_equal(host.datas, WIRE_GETS + 1);
}

static void host_words_are_stored_and_nothing_else_is(void **state)
{
	static uint8_t before[RIG_SIZE];
	const uint64_t value = 0x1122334455667788;
	uint64_t reader = offsetof(struct tr_header, reader);
	uint64_t tail = RIG_CONTROL + 1032, aux_tail = RIG_CONTROL + 4096 + 1064;
	uint64_t stream_tail = RIG_STREAMS + offsetof(struct tr_stream, tail);
	const struct {
		uint64_t offset;
		uint16_t size;
	} theirs[] = {
		{ reader, 4 }, { reader + 4, 4 }, { reader + 8, 8 }, { reader + 16, 4 },
		{ reader + 20, 4 },
		{ RIG_MAILBOX, 4 }, { RIG_MAILBOX + 4, 4 }, { RIG_MAILBOX + 8, 200 },
		{ RIG_MAILBOX + 9 , 1 }, { RIG_BELLS + 8, 4 }, { RIG_BELLS + 64 + 8, 4 },
		{ tail, 8 }, { aux_tail, 8 },
		{ stream_tail, 8 }, { stream_tail + 2 * 64, 8 },
	}, ours[] = {
		{ 0, 8 }, { 48, 4 }, { reader - 4, 4 }, { reader + 24, 4 }, { reader + 4, 8 },
		{ reader + 2, 4 }, { reader, 2 }, { RIG_MAILBOX + 2, 4 },
		{ RIG_MAILBOX + offsetof(struct tr_mailbox, reply), 4 },
		{ RIG_MAILBOX + offsetof(struct tr_mailbox, reply) - 1, 2 },
		{ RIG_BELLS, 4 }, { RIG_BELLS + 4, 4 }, { RIG_BELLS + 12, 4 },
		{ RIG_BELLS + 2 * 64 + 8, 4 }, { RIG_BELLS + 8, 8 }, { tail - 8, 8 }, { tail, 4 },
		{ tail + 8, 8 }, { tail + 2 * 4096, 8 }, { RIG_SIZE, 8 }, { UINT64_MAX - 7, 8 },
		{ UINT64_MAX, 1 }, { stream_tail - 8, 8 }, { stream_tail + 8, 8 }, { stream_tail, 4 },
		{ stream_tail - 64, 8 }, { stream_tail + 3 * 64, 8 },
	};
	uint8_t bytes[256];

	(void)state;
	for (unsigned i = 0; i < sizeof(bytes); i++)
		bytes[i] = (uint8_t)(value >> i % 8 * 8);
	for (unsigned i = 0; i < sizeof(theirs) / sizeof(theirs[0]); i++) {
		assert_int_equal(host_put(theirs[i].offset, bytes, theirs[i].size), 0);
		assert_memory_equal(rig_memory + theirs[i].offset, bytes, theirs[i].size);
	}
	assert_int_equal(rig_line.faults, 0);
	memcpy(before, rig_memory, RIG_SIZE);
	for (unsigned i = 0; i < sizeof(ours) / sizeof(ours[0]); i++) {
		assert_int_equal(host_put(ours[i].offset, bytes, ours[i].size), -EINVAL);
		assert_int_equal(rig_line.faults, i + 1);
	}
	assert_memory_equal(before, rig_memory, RIG_SIZE);
}

/* The places of words are not read from the region, because the host may write there. */
static void the_region_is_not_believed(void **state)
{
	uint32_t one = 1;

	(void)state;
	memset(rig_memory, 0xff, RIG_SIZE);
	assert_int_equal(host_put(RIG_MAILBOX, &one, 4), 0);
	assert_int_equal(host_put(12345 * 8, &one, 4), -EINVAL);
	rig_region.nr_rings = 0;
	assert_int_equal(host_put(RIG_CONTROL + 1032, (uint64_t[]){ 1 }, 8), -EINVAL);
}

static void stores_are_done_in_their_order_each_once(void **state)
{
	uint32_t *request = (uint32_t *)(void *)(rig_memory + RIG_MAILBOX);
	uint32_t value = 1;

	(void)state;
	assert_int_equal(host_put(RIG_MAILBOX, &value, 4), 0);
	*request = 9;
	host.dones = 0;
	host_put_number(1, RIG_MAILBOX, &value, 4); /* the answer to the first store was lost */
	rig_take(ALL);
	assert_int_equal(host.dones, 1);
	assert_int_equal(host.done.number, 1);
	assert_int_equal(*request, 9);
	host_put_number(3, RIG_MAILBOX, &value, 4); /* 2 was lost */
	rig_take(ALL);
	assert_int_equal(host.dones, 1);
	assert_int_equal(*request, 9);
	host_put_number(0, RIG_MAILBOX, &value, 4);
	host_put_number(UINT32_MAX, RIG_MAILBOX, &value, 4);
	rig_take(ALL);
	assert_int_equal(host.dones, 1);
	for (uint32_t i = 2; i < 2 + WIRE_STORES + 3; i++)
		host_put_number(i, RIG_MAILBOX, &i, 4); /* none of these stores is answered yet */
	rig_take(ALL);
	assert_int_equal(host.dones, 1 + WIRE_STORES);
	assert_int_equal(*request, 1 + WIRE_STORES);
	assert_int_equal(host.done.number, 1 + WIRE_STORES);
	host_hello(1); /* the same session continues its numbers, another one starts again */
	host_put_number(1 + WIRE_STORES, RIG_MAILBOX, &value, 4);
	rig_take(ALL);
	assert_int_equal(*request, 1 + WIRE_STORES);
	host_hello(2);
	host_put_number(1, RIG_MAILBOX, &value, 4);
	rig_take(ALL);
	assert_int_equal(*request, 1);
}

static void clear_reports_which_bells_had_rung_at_each_repetition(void **state)
{
	const uint64_t bells[] = { RIG_BELLS + 64, RIG_BELLS };
	uint8_t body[WIRE_BODY_MAX];
	struct wire_clear again = { .number = 1, .count = 2, .offsets = { bells[0], bells[1] } };
	uint32_t *pending = (uint32_t *)(void *)(rig_memory + RIG_BELLS + 64);

	(void)state;
	*pending = 1;
	assert_int_equal(host_clear(bells, 2), 0);
	assert_int_equal(host.done.set, 1);
	assert_int_equal(*pending, 0);
	*pending = 1;
	host_send(body, wire_put_clear(body, &again));
	rig_take(ALL);
	assert_int_equal(host.done.set, 1);
	assert_int_equal(*pending, 1);
	assert_int_equal(host_clear((const uint64_t[]){ RIG_BELLS + 64, RIG_BELLS + 4 }, 2),
	                 -EINVAL);
	assert_int_equal(host_clear((const uint64_t[]){ RIG_BELLS + 128 }, 1), -EINVAL);
	assert_int_equal(*pending, 1);
	assert_int_equal(rig_line.faults, 2);
}

/* ---- Frames that the target sends unasked ---- */

static void a_bell_that_rings_is_reported_once_until_it_is_cleared(void **state)
{
	uint32_t *pending = (uint32_t *)(void *)(rig_memory + RIG_BELLS + 64);

	(void)state;
	pass(1);
	rig_take(ALL);
	host.statuses = 0;
	*pending = 1;
	pass(20);
	rig_take(ALL);
	assert_int_equal(host.statuses, 1);
	assert_int_equal(host.status.rings[0], 2);
	pass(20);
	rig_take(ALL);
	assert_int_equal(host.statuses, 1);
	assert_int_equal(host_clear((const uint64_t[]){ RIG_BELLS + 64 }, 1), 0);
	*pending = 1;
	pass(1);
	rig_take(ALL);
	assert_int_equal(host.statuses, 2);
	assert_int_equal(host.status.rings[0], 2);
}

static void status_comes_by_itself_and_when_something_happens(void **state)
{
	struct tr_header *header = (void *)rig_memory;
	struct tr_mailbox *box = (void *)(rig_memory + RIG_MAILBOX);
	struct tr_console *console = (void *)(rig_memory + RIG_CONSOLE);

	(void)state;
	pass(1);
	rig_take(ALL);
	host.statuses = 0;
	pass(WIRE_STATUS_MS - 2);
	rig_take(ALL);
	assert_int_equal(host.statuses, 0);
	pass(3);
	rig_take(ALL);
	assert_int_equal(host.statuses, 1);
	header->run = 3;
	header->heartbeat = 99;
	header->state = TR_RECORDING;
	console->head = 1000;
	pass(1);
	rig_take(ALL);
	assert_int_equal(host.statuses, 2);
	assert_int_equal(host.status.state, TR_RECORDING);
	assert_int_equal(host.status.run, 3);
	assert_int_equal(host.status.heartbeat, 99);
	assert_int_equal(host.status.console_head, 1000);
	assert_int_equal(host.status.nonce, rig_region.nonce);
	box->reply = 4;
	rig_line.overruns = 7;
	line_receive(&rig_line, (const uint8_t *)"\0junk\0", 6);
	pass(1);
	rig_take(ALL);
	assert_int_equal(host.statuses, 3);
	assert_int_equal(host.status.reply, 4);
	assert_int_equal(host.status.overruns, 7);
	assert_int_equal(host.status.damaged, 1);
}

static void no_answer_waits_behind_a_long_get(void **state)
{
	uint32_t lease = 1;

	(void)state;
	host_get(0, 65536, 0);
	rig_take(600); /* the frame is being sent */
	host.frames = 0;
	host_put_number(1, offsetof(struct tr_header, reader), &lease, 4);
	rig_take(2000);
	assert_int_equal(host.types[0], WIRE_DATA); /* the first frame is the one that had begun */
	assert_int_equal(host.types[1], WIRE_DONE);
	assert_int_equal(host.types[2], WIRE_DATA);
	rig_take(ALL);
	assert_int_equal(host.left, 0);
}

static void a_frame_that_a_panic_interrupted_begins_anew(void **state)
{
	(void)state;
	host_get(0, 2000, 0);
	rig_take(100);
	line_receive(&rig_line, (const uint8_t *)"\0half a fra", 11);
	line_break(&rig_line);
	rig_take(ALL);
	assert_true(host.broken <= 1);
	host_get(0, 2000, 0);
	rig_take(ALL);
	assert_int_equal(host.left, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEXT(name)  cmocka_unit_test_setup(name, set_up)
#define FRAME(name) cmocka_unit_test_setup(name, framed)
		TEXT(without_a_host_the_console_is_text),
		TEXT(typed_text_is_echoed_and_can_be_edited),
		TEXT(a_key_that_is_pressed_alone_is_reported_while_the_line_listens),
		TEXT(a_command_that_is_too_long_rings),
		TEXT(an_echo_without_a_reader_is_dropped),
		TEXT(noise_before_hello_does_not_swallow_it),
		TEXT(a_break_before_a_command_does_not_swallow_it),
		TEXT(hello_is_answered_with_all_that_it_carries),
		TEXT(another_major_version_gets_ours_and_stays_text),
		TEXT(a_frame_before_hello_is_ignored),
		FRAME(bye_and_silence_make_it_text_again),
		FRAME(time_without_polls_does_not_count),
		FRAME(get_brings_the_bytes_raw_or_encoded),
		FRAME(bytes_outside_of_the_region_are_not_sent),
		FRAME(eight_gets_are_kept_and_answered_in_their_order),
		FRAME(host_words_are_stored_and_nothing_else_is),
		FRAME(the_region_is_not_believed),
		FRAME(stores_are_done_in_their_order_each_once),
		FRAME(clear_reports_which_bells_had_rung_at_each_repetition),
		FRAME(a_bell_that_rings_is_reported_once_until_it_is_cleared),
		FRAME(status_comes_by_itself_and_when_something_happens),
		FRAME(no_answer_waits_behind_a_long_get),
		FRAME(a_frame_that_a_panic_interrupted_begins_anew),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
