/* SPDX-License-Identifier: MIT */
/* Lines on UARTs with FIFOs and modelled time, pumped by ticks or all the time. */
#include <stdio.h>
#include <string.h>

#include "channel/channel.h"
#include "tests/unit/channel/line_rig.h"
#include "tests/unit/lib/uart/uart_model.h"

#define MSEC 1000000ULL
#define USEC 1000ULL

static struct lines lines;
static uint64_t text_end;

static uint64_t model_now(void)
{
	return uart_model.now;
}

static unsigned model_text(uint64_t *at, char *to, unsigned size)
{
	unsigned count = 0;

	if (!size)
		*at = text_end;
	for (; count < size && *at < text_end; (*at)++)
		to[count++] = (char)('a' + *at % 26);
	return count;
}

static unsigned taken; /* bytes that the host has taken from the UART */

static void start(enum model_kind kind, uint32_t divisor)
{
	static struct uart uart;

	rig_start();
	text_end = taken = 0;
	uart_model_start(kind, &uart);
	if (kind != MODEL_PL011 && kind != MODEL_SBSA) {
		uart_model.line = 3;
		uart_model.divisor = divisor;
	}
	assert_int_equal(uart_open(&uart), 0);
	lines = (struct lines){ .region = rig_region };
	lines_start(&lines, &uart, model_now, model_text, 0);
}

/* Pump every `each` ns, for ns. */
static void run(uint64_t ns, uint64_t each)
{
	for (uint64_t end = uart_model.now + ns; uart_model.now < end;) {
		uart_model_run(each);
		lines_pump(&lines);
		host_take(uart_model.sent + taken, uart_model.nr_sent - taken);
		taken = uart_model.nr_sent;
	}
}

/* The host sends bursts that fit the FIFO: so many bytes per tick. */
static void host_sends(uint8_t *body, size_t size)
{
	uint8_t frame[WIRE_FRAME_MAX];

	uart_model_send(frame, host_frame(frame, body, size));
}

static void host_says_hello(uint64_t nonce)
{
	uint8_t body[WIRE_BODY_MAX];
	struct wire_hello hello = { .version = WIRE_VERSION, .nonce = nonce, .probes = 16 };

	host_sends(body, wire_put_hello(body, &hello));
}

static void host_gets(uint64_t offset, uint32_t size)
{
	uint8_t body[WIRE_BODY_MAX];
	struct wire_get get = { .tag = ++host.tag, .size = size, .offset = offset };

	host.left = size;
	memset(host.have, 0, sizeof(host.have));
	host_sends(body, wire_put_get(body, &get, 0));
}

static void text_leaves_as_the_line_takes_it_and_is_drained(void **state)
{
	static const enum model_kind kinds[] = { MODEL_8250, MODEL_16550A, MODEL_16750,
		                                 MODEL_PL011 };

	(void)state;
	for (unsigned i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		start(kinds[i], 1);
		text_end = 500;
		run(3000 * MSEC, MSEC);
		assert_int_equal(uart_model.overruns, 0);
		assert_int_equal(host.text_size, 500);
		for (unsigned j = 0; j < 500; j++)
			assert_int_equal(host.text[j], 'a' + j % 26);
	}
}

/* At this rate a FIFO of 16 bytes runs empty between two ticks, unless more bytes follow by the
 * clock. */
static void ticks_fill_a_line_of_115200(void **state)
{
	static const struct {
		enum model_kind kind;
		unsigned least; /* the least share of the line's time, % */
	} cases[] = { { MODEL_16550A, 95 }, { MODEL_16750, 97 }, { MODEL_PL011, 99 } };

	(void)state;
	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		uint64_t began;
		unsigned bytes;

		start(cases[i].kind, 1);
		for (unsigned j = 0; j < RIG_SIZE; j++)
			rig_memory[j] = (uint8_t)(j * j >> 8);
		host_says_hello(1);
		run(200 * MSEC, MSEC);
		assert_int_equal(host.welcomes, 1);
		assert_int_equal(host.welcome.burst, lines.ports[0].uart.fifo);
		host_gets(0, 65536);
		run(20 * MSEC, MSEC);
		began = uart_model.transmitting;
		bytes = uart_model.nr_sent;
		run(1000 * MSEC, MSEC);
		bytes = uart_model.nr_sent - bytes;
		printf("# FIFO of %u: %lu %% of the line's time, %u of %u B/s\n",
		       lines.ports[0].uart.fifo,
		       (unsigned long)((uart_model.transmitting - began) / (10 * MSEC)), bytes,
		       lines_rate_by_ticks(&lines.ports[0]));
		assert_true((uart_model.transmitting - began) / (10 * MSEC) >= cases[i].least);
		assert_true(bytes <= lines_rate_by_ticks(&lines.ports[0]) + 1);
		while (host.left) {
			unsigned left = host.left;

			host_says_hello(1); /* it lives */
			run(900 * MSEC, MSEC);
			assert_true(host.left < left);
		}
		assert_memory_equal(host.got, rig_memory, 65536);
		assert_int_equal(uart_model.overruns + host.broken, 0);
		assert_int_equal(uart_model.lost, 0);
	}
}

/* Sending by the clock is wrong for a line that its peer stalls. */
static void a_line_that_stalls_loses_little_and_continues(void **state)
{
	(void)state;
	start(MODEL_16550A, 1);
	host_says_hello(1);
	run(200 * MSEC, MSEC);
	host_gets(0, 65536);
	run(100 * MSEC, MSEC);
	uart_model.stalled = true;
	run(500 * MSEC, MSEC);
	assert_true(uart_model.overruns <= 16 * 16);
	uart_model.stalled = false;
	run(1000 * MSEC, MSEC);
	assert_true(host.broken >= 1 && host.broken <= 2);
	host_says_hello(2); /* no more bytes of the other request come */
	run(100 * MSEC, MSEC);
	host_gets(4096, 496);
	run(200 * MSEC, MSEC);
	assert_int_equal(host.left, 0);
}

/* An emulator's line sends as fast as its client takes the bytes, and the client may be busy; a
 * table may give a rate that the line does not have. */
static void a_line_that_does_not_keep_its_rate_loses_nothing(void **state)
{
	static const uint64_t takes[] = { USEC, 170 * USEC };

	(void)state;
	for (unsigned i = 0; i < sizeof(takes) / sizeof(takes[0]); i++) {
		start(MODEL_16550A, 1);
		text_end = 1000;
		uart_model.takes = takes[i];
		run(400 * MSEC, MSEC);
		host_says_hello(1);
		run(200 * MSEC, MSEC);
		assert_int_equal(host.welcomes, 1);
		for (unsigned j = 0; j < 40; j++) {
			host_gets(0, 8192);
			run(20 * MSEC, 100 * USEC);
			uart_model.stalled = true;
			run(3 * MSEC + j * 100 * USEC, 100 * USEC);
			uart_model.stalled = false;
		}
		assert_int_equal(uart_model.overruns + host.broken, 0);
	}
}

static void a_burst_that_fits_the_fifo_arrives_whatever_the_tick_does(void **state)
{
	(void)state;
	start(MODEL_16550A, 1);
	for (unsigned i = 0; i < 50; i++) {
		uart_model_send("x", 1);
		for (unsigned j = 0; j < 15; j++)
			uart_model_send("\b", 1);
		run(2 * MSEC, 2 * MSEC);
	}
	assert_int_equal(uart_model.lost, 0);
	assert_int_equal(uart_model.taken, 50 * 16);
	uart_model_send(host.have, 64); /* a host that sends more than the FIFO holds */
	run(20 * MSEC, 20 * MSEC);
	assert_true(lines.ports[0].line.overruns > 0);
}

/* How many of so many ticks accessed the UART. */
static unsigned ticks_that_look(unsigned ticks)
{
	unsigned looked = 0;

	for (unsigned i = 0; i < ticks; i++) {
		uint64_t before = uart_model.accesses;

		uart_model_run(MSEC);
		lines_tick(&lines);
		looked += uart_model.accesses != before;
	}
	return looked;
}

static void ticks_leave_unused_lines_alone(void **state)
{
	(void)state;
	start(MODEL_16550A, 1);
	ticks_that_look(1100);
	assert_int_equal(ticks_that_look(10 * LINES_IDLE_TICKS), 10);
	uart_model_send("s", 1);
	ticks_that_look(LINES_IDLE_TICKS);
	assert_int_equal(uart_model.taken, 1);
	assert_int_equal(ticks_that_look(900), 900); /* a user types */
	ticks_that_look(200);
	assert_int_equal(ticks_that_look(10 * LINES_IDLE_TICKS), 10);
}

static void a_host_is_heard_by_a_line_that_was_left_alone(void **state)
{
	(void)state;
	start(MODEL_16550A, 1);
	run(1100 * MSEC, MSEC);
	for (unsigned hellos = 0; hellos < 2; hellos++) {
		host_says_hello(1);
		for (unsigned i = 0; i < 300; i++) {
			uart_model_run(MSEC);
			lines_tick(&lines);
			host_take(uart_model.sent + taken, uart_model.nr_sent - taken);
			taken = uart_model.nr_sent;
		}
	}
	assert_true(host.welcomes >= 1);
}

static void host_wants_baud(uint32_t baud)
{
	uint8_t body[WIRE_BODY_MAX];

	host_sends(body, wire_put_baud(body, &(struct wire_baud){ .baud = baud }));
}

static void a_rate_is_tried_and_kept_when_a_frame_comes(void **state)
{
	(void)state;
	start(MODEL_16550A, 6); /* 19200 */
	host_says_hello(1);
	run(500 * MSEC, MSEC);
	assert_int_equal(host.welcome.baud, 19200);
	assert_int_equal(host.welcome.baud_max, 115200);
	host_wants_baud(115200);
	run(300 * MSEC, MSEC);
	assert_int_equal(host.baud.baud, 115200);
	assert_int_equal(uart_model.divisor, 1);
	assert_int_equal(host.broken, 0); /* the answer to the other request had been sent before */
	host_gets(0, 1000);
	run(200 * MSEC, MSEC);
	assert_int_equal(host.left, 0);
	run(1500 * MSEC, MSEC);
	assert_int_equal(uart_model.divisor, 1);
	host_wants_baud(100000);
	run(100 * MSEC, MSEC);
	assert_int_equal(host.baud.baud, 0); /* it cannot */
	assert_int_equal(uart_model.divisor, 1);
}

static void a_line_is_text_at_the_rate_that_it_began_with(void **state)
{
	(void)state;
	for (unsigned is_reported = 0; is_reported < 2; is_reported++) {
		uint8_t body[WIRE_BODY_MAX];

		start(MODEL_16550A, 6);
		host_says_hello(1);
		run(500 * MSEC, MSEC);
		host_wants_baud(57600);
		run(300 * MSEC, MSEC);
		host_wants_baud(115200);
		run(100 * MSEC, MSEC);
		host_gets(0, 4000);
		run(20 * MSEC, MSEC); /* in the middle of it */
		assert_int_equal(uart_model.divisor, 1);
		if (is_reported)
			host_sends(body, wire_put_bye(body));
		run((is_reported ? 20 : WIRE_SILENCE_MS + 20) * MSEC, MSEC);
		assert_int_equal(uart_model.divisor, 6);
		assert_int_equal(lines.ports[0].uart.baud, 19200);
	}
}

static void at_an_unknown_rate_a_tick_sends_at_most_one_fifo(void **state)
{
	const struct line_port port = { .uart = { .fifo = 16 } };

	(void)state;
	assert_int_equal(lines_rate_by_ticks(&port), 16000);
}

/* The rate at the start decides how the line is pumped. */
static void above_that_a_tick_moves_a_fifo(void **state)
{
	unsigned bytes, reported;

	(void)state;
	start(MODEL_PL011, 1);
	host_says_hello(1);
	run(200 * MSEC, MSEC);
	host_wants_baud(921600);
	run(100 * MSEC, MSEC);
	host_gets(0, 65536);
	run(20 * MSEC, MSEC);
	assert_int_equal(lines.ports[0].uart.baud, 921600);
	reported = lines_rate_by_ticks(&lines.ports[0]);
	assert_int_equal(reported, 32000);
	bytes = uart_model.nr_sent;
	run(1000 * MSEC, MSEC);
	bytes = uart_model.nr_sent - bytes;
	assert_in_range(bytes, reported * 98 / 100, reported);
	while (host.left) { /* pumped all the time, as after a recording */
		host_says_hello(1);
		bytes = uart_model.nr_sent;
		run(100 * MSEC, 100 * USEC);
		assert_true(!host.left || uart_model.nr_sent - bytes > 2 * reported / 10);
	}
	assert_int_equal(uart_model.overruns + host.broken, 0);
}

static void a_rate_without_any_answer_is_given_up(void **state)
{
	(void)state;
	start(MODEL_16550A, 6);
	host_says_hello(1);
	run(500 * MSEC, MSEC);
	host_wants_baud(57600);
	run(300 * MSEC, MSEC);
	assert_int_equal(uart_model.divisor, 2);
	uart_model_send("\0never a frame\0", 15);
	run(600 * MSEC, MSEC);
	assert_int_equal(uart_model.divisor, 2);
	run(400 * MSEC, MSEC);
	assert_int_equal(uart_model.divisor, 6);
	assert_int_equal(lines.ports[0].uart.baud, 19200);
	host_says_hello(1);
	run(500 * MSEC, MSEC);
	assert_int_equal(host.welcomes, 2);
}

static void only_one_cpu_pumps_at_a_time(void **state)
{
	uint64_t accesses;

	(void)state;
	start(MODEL_16550A, 1);
	text_end = 100;
	lines.pumping = 1;
	accesses = uart_model.accesses;
	lines_pump(&lines);
	assert_int_equal(uart_model.accesses, accesses);
	lines.pumping = 0;
	lines_pump(&lines);
	assert_int_equal(uart_model.nr_sent + uart_model.waiting + uart_model.shifting, 16);
	assert_int_equal(lines.pumping, 0);
}

static void a_call_moves_no_more_than_a_fifo(void **state)
{
	(void)state;
	start(MODEL_PL011, 1);
	text_end = 1000;
	for (unsigned i = 0; i < 4; i++) {
		unsigned before = uart_model.nr_sent + uart_model.waiting + uart_model.shifting;

		lines_pump(&lines);
		assert_true(uart_model.nr_sent + uart_model.waiting + uart_model.shifting <=
		            before + 33);
	}
	start(MODEL_8250, 1);
	uart_model_send(host.have, 200);
	uart_model_run(100 * MSEC);
	lines_pump(&lines);
	assert_true(uart_model.taken <= LINES_PUMP_BYTES);
}

static void typed_commands_are_those_of_any_line(void **state)
{
	char command[LINE_COMMAND_MAX + 1];

	(void)state;
	start(MODEL_16550A, 1);
	uart_model_send("stop\r", 5);
	run(10 * MSEC, MSEC);
	assert_true(lines_have_typed(&lines, "stop"));
	assert_false(lines_have_typed(&lines, "list"));
	assert_true(lines_take_typed(&lines, command));
	assert_string_equal(command, "stop");
	assert_false(lines_take_typed(&lines, command));
	assert_false(lines_have_host(&lines));
	host_says_hello(1);
	run(200 * MSEC, MSEC);
	assert_true(lines_have_host(&lines));
}

static void waiting_code_may_halt_without_a_host_if_a_fifo_holds_a_tick(void **state)
{
	(void)state;
	start(MODEL_16550A, 1);
	assert_true(lines_may_rest(&lines));
	lines.ports[0].uart.baud = 921600;
	assert_false(lines_may_rest(&lines));
	lines.ports[0].uart.baud = 0; /* unknown */
	assert_true(lines_may_rest(&lines));
	lines.ports[0].uart.fifo = 1;
	assert_false(lines_may_rest(&lines));
	lines.ports[0].uart.fifo = 16;
	host_says_hello(1);
	run(200 * MSEC, MSEC);
	assert_false(lines_may_rest(&lines));
}

static void a_key_is_that_of_any_line(void **state)
{
	(void)state;
	start(MODEL_16550A, 1);
	lines_listen(&lines, true);
	run(20 * MSEC, MSEC);
	uart_model_send("q", 1);
	run(2 * MSEC, MSEC);
	assert_false(lines_are_pressed(&lines));
	run(20 * MSEC, MSEC);
	assert_true(lines_are_pressed(&lines));
	lines_listen(&lines, false);
	assert_false(lines_are_pressed(&lines));
}

static void refused_requests_are_counted_in_the_header(void **state)
{
	const struct tr_header *header = (const void *)rig_memory;
	uint8_t body[WIRE_BODY_MAX];
	uint32_t word = 1;
	struct wire_put put = { .number = 1, .size = 4, .offset = 48, .bytes = (uint8_t *)&word };

	(void)state;
	start(MODEL_16550A, 1);
	host_says_hello(1);
	run(200 * MSEC, MSEC);
	host_sends(body, wire_put_put(body, &put));
	run(100 * MSEC, MSEC);
	assert_int_equal(header->line_faults, 1);
	assert_int_equal(header->state, 0);
}

static void rings_are_those_of_the_run(void **state)
{
	(void)state;
	start(MODEL_16550A, 1);
	lines_forget_rings(&lines);
	assert_int_equal(lines.region.nr_rings, 0);
	lines_add_ring(&lines, 40960);
	assert_int_equal(lines.region.nr_rings, 1);
	assert_int_equal(lines.region.controls[0], 40960);
}

static struct card {
	uint32_t bar;
	uint64_t address, size;
} cards[6];
static unsigned nr_cards, mapped;

static void *find_class(uint32_t class, unsigned n)
{
	assert_int_equal(class, 0x0700);
	return n < nr_cards ? &cards[n] : NULL;
}

static uint32_t read_bar(void *device, uint32_t offset, unsigned bytes)
{
	assert_int_equal(offset, 0x10);
	assert_int_equal(bytes, 4);
	return ((struct card *)device)->bar;
}

static int where_bar(void *device, unsigned number, uint64_t *address, uint64_t *size)
{
	assert_int_equal(number, 0);
	*address = ((struct card *)device)->address;
	*size = ((struct card *)device)->size;
	return 0;
}

static int enable(void *device)
{
	(void)device;
	return 0;
}

static int map_device(uint64_t address, uint64_t size, enum arch_map_type type)
{
	assert_int_equal(type, ARCH_MAP_DEVICE);
	assert_true(address && size >= 8);
	mapped++;
	return 0;
}

static void cards_are_lines_and_leave_the_console_its_place(void **state)
{
	static const struct channel_services services = {
		.map = map_device,
		.pci_read = read_bar,
		.pci_bar = where_bar,
		.pci_enable_memory = enable,
		.pci_enable_io = enable,
		.pci_find_class = find_class,
	};
	static const struct card all[] = {
		{ 1, 0x6060, 8 },        /* at ports */
		{ 0, 0xc0000000, 4096 }, /* in memory */
		{ 1, 0, 8 },             /* no address was assigned */
		{ 1, 0x3eff0000, 8 },    /* ports that the ISA sees in memory */
		{ 1, 0x6070, 8 },
		{ 0, 0xc0000000, 4096 }, /* the same card once more */
	};

	(void)state;
	memcpy(cards, all, sizeof(all));
	nr_cards = sizeof(all) / sizeof(all[0]);
	mapped = 0;
	lines = (struct lines){ 0 };
	lines_find(&lines, &services);
	assert_int_equal(lines.nr_ports, LINES_MAX - 1);
	assert_int_equal(mapped, 2);
	assert_int_equal(lines.ports[0].uart.address, 0x6060);
	assert_false(lines.ports[0].uart.in_memory);
	assert_int_equal(lines.ports[0].uart.clock, UART_16550_CLOCK);
	assert_true(lines.ports[1].uart.in_memory);
	assert_int_equal(lines.ports[1].uart.clock, 0);
	assert_int_equal(lines.ports[2].uart.address, 0x3eff0000);
	assert_true(lines.ports[2].uart.in_memory);
	assert_int_equal(lines.ports[2].uart.clock, UART_16550_CLOCK);
	cards[1] = cards[5];
	nr_cards = 2;
	cards[0] = cards[5];
	lines = (struct lines){ 0 };
	lines_find(&lines, &services);
	assert_int_equal(lines.nr_ports, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(text_leaves_as_the_line_takes_it_and_is_drained),
		cmocka_unit_test(ticks_fill_a_line_of_115200),
		cmocka_unit_test(a_line_that_stalls_loses_little_and_continues),
		cmocka_unit_test(a_line_that_does_not_keep_its_rate_loses_nothing),
		cmocka_unit_test(a_burst_that_fits_the_fifo_arrives_whatever_the_tick_does),
		cmocka_unit_test(ticks_leave_unused_lines_alone),
		cmocka_unit_test(a_host_is_heard_by_a_line_that_was_left_alone),
		cmocka_unit_test(a_rate_is_tried_and_kept_when_a_frame_comes),
		cmocka_unit_test(a_line_is_text_at_the_rate_that_it_began_with),
		cmocka_unit_test(at_an_unknown_rate_a_tick_sends_at_most_one_fifo),
		cmocka_unit_test(above_that_a_tick_moves_a_fifo),
		cmocka_unit_test(a_rate_without_any_answer_is_given_up),
		cmocka_unit_test(only_one_cpu_pumps_at_a_time),
		cmocka_unit_test(a_call_moves_no_more_than_a_fifo),
		cmocka_unit_test(typed_commands_are_those_of_any_line),
		cmocka_unit_test(waiting_code_may_halt_without_a_host_if_a_fifo_holds_a_tick),
		cmocka_unit_test(a_key_is_that_of_any_line),
		cmocka_unit_test(refused_requests_are_counted_in_the_header),
		cmocka_unit_test(rings_are_those_of_the_run),
		cmocka_unit_test(cards_are_lines_and_leave_the_console_its_place),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
