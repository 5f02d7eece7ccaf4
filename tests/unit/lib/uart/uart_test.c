/* SPDX-License-Identifier: MIT */
/* UARTs: found, measured, used as they were left or configured; bytes that fit are sent, and no
 * more. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/lib/uart/uart_model.h"

static struct uart uart;
static uint8_t text[300];

static void set_up(enum model_kind kind)
{
	for (unsigned i = 0; i < sizeof(text); i++)
		text[i] = (uint8_t)(i * 7 + 1);
	uart_model_start(kind, &uart);
}

static void the_fifo_is_as_deep_as_the_uart_reports(void **state)
{
	static const struct {
		enum model_kind kind;
		unsigned depth;
	} cases[] = {
		{ MODEL_8250, 1 },   { MODEL_16550A, 16 }, { MODEL_16750, 64 },
		{ MODEL_PL011, 32 }, { MODEL_SBSA, 32 },
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		set_up(cases[i].kind);
		assert_int_equal(uart_open(&uart), 0);
		assert_int_equal(uart.fifo, cases[i].depth);
		assert_int_equal(uart_model.depth, cases[i].depth);
	}
	set_up(MODEL_PL011);
	uart_model.revision = 1;
	uart_model.line = 0x60; /* no FIFO */
	uart_model.depth = 1;
	assert_int_equal(uart_open(&uart), 0);
	assert_int_equal(uart.fifo, 16);
	assert_int_equal(uart_model.depth, 16);
	assert_int_equal(uart_model.line, 0x70);
}

static void the_sender_may_continue_until_the_fifo_is_half_full(void **state)
{
	(void)state;
	for (enum model_kind kind = MODEL_16550A; kind <= MODEL_16750; kind++) {
		set_up(kind);
		assert_int_equal(uart_open(&uart), 0);
		assert_int_equal(uart_model.fcr & 0xc0, 0x80);
	}
}

static void without_an_answer_there_is_no_device(void **state)
{
	(void)state;
	set_up(MODEL_NONE);
	assert_int_equal(uart_open(&uart), -ENODEV);
	assert_null(uart.ops);
	/* with the host's fake ports no device answers */
	uart_describe_16550(&uart, 0x3f8, false, 1, 0);
	assert_int_equal(uart_open(&uart), -ENODEV);
}

static void a_line_with_settings_keeps_them(void **state)
{
	(void)state;
	set_up(MODEL_16550A);
	uart_model.line = 0x1b; /* 8 bits, even parity */
	uart_model.divisor = 6;
	uart_model.ier = 5;
	assert_int_equal(uart_open(&uart), 0);
	assert_int_equal(uart_model.line, 0x1b);
	assert_int_equal(uart_model.divisor, 6);
	assert_int_equal(uart.baud, 19200);
	assert_int_equal(uart_model.ier, 0);
	set_up(MODEL_PL011);
	assert_int_equal(uart_open(&uart), 0);
	assert_in_range(uart.baud, 115000, 115400);
	assert_int_equal(uart_model.divisor, 13);
}

static void a_busy_designware_is_waited_for_and_loses_no_byte(void **state)
{
	(void)state;
	set_up(MODEL_DW);
	uart_model.line = 3;
	uart_model.divisor = 6;
	uart_model.depth = 16;
	for (unsigned i = 0; i < 5; i++)
		uart.access->write(&uart, 0, 'a' + i); /* the firmware's last bytes */
	uart_model.takes = 520000;
	assert_int_equal(uart_open(&uart), 0);
	assert_int_equal(uart.baud, 19200);
	assert_int_equal(uart_model.divisor, 6);
	assert_int_equal(uart_model.line, 3);
	uart_model.stalled = true; /* for ever */
	uart_write(&uart, 'x');
	uart_write(&uart, 'y');
	uart.ops->set_divisor(&uart, 0x4243);
	assert_int_equal(uart_model.divisor, 6);
	assert_int_equal(uart.ops->get_divisor(&uart), 0);
	uart_model.stalled = false;
	uart_model_run(100000000);
	assert_int_equal(uart_model.nr_sent, 7);
	assert_memory_equal(uart_model.sent, "abcdexy", 7);
}

static void a_line_without_settings_gets_115200(void **state)
{
	(void)state;
	set_up(MODEL_16550A);
	assert_int_equal(uart_open(&uart), 0);
	assert_int_equal(uart_model.line, 3);
	assert_int_equal(uart_model.divisor, 1);
	assert_int_equal(uart.baud, 115200);
	assert_int_equal(uart_model.mcr & 3, 3);
	set_up(MODEL_16550A);
	uart_model.line = 3;
	uart_model.divisor = 0; /* the same as none */
	assert_int_equal(uart_open(&uart), 0);
	assert_int_equal(uart_model.divisor, 1);
}

static void bytes_that_fit_are_sent_and_no_more(void **state)
{
	static const enum model_kind kinds[] = { MODEL_8250, MODEL_16550A, MODEL_16750, MODEL_PL011,
		                                 MODEL_SBSA };

	(void)state;
	for (unsigned i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		unsigned sent = 0;

		set_up(kinds[i]);
		assert_int_equal(uart_open(&uart), 0);
		while (sent < sizeof(text)) {
			unsigned now = uart_send(&uart, text + sent, sizeof(text) - sent);

			assert_true(now <= uart.fifo + 1U);
			sent += now;
			uart_model_run(uart_model_byte_ns() / 3);
		}
		uart_model_run(100 * uart_model_byte_ns());
		assert_true(uart.ops->idle(&uart));
		assert_int_equal(uart_model.overruns, 0);
		assert_int_equal(uart_model.nr_sent, sizeof(text));
		assert_memory_equal(uart_model.sent, text, sizeof(text));
	}
}

static void a_line_that_does_not_move_is_waited_for_once(void **state)
{
	uint64_t before;

	(void)state;
	set_up(MODEL_16550A);
	assert_int_equal(uart_open(&uart), 0);
	uart_model.stalled = true;
	assert_int_equal(uart_send(&uart, text, 100), 16);
	assert_int_equal(uart_send(&uart, text, 1), 0);
	uart_write(&uart, 'a');
	before = uart_model.accesses;
	uart_write(&uart, 'b');
	assert_true(uart_model.accesses - before < 5);
	uart_model.stalled = false;
	uart_model_run(30 * uart_model_byte_ns());
	uart_write(&uart, 'c');
	uart_model_run(30 * uart_model_byte_ns());
	assert_int_equal(uart_model.sent[uart_model.nr_sent - 1], 'c');
}

static void received_bytes_are_taken_up_to_the_limit(void **state)
{
	uint8_t got[64];

	(void)state;
	set_up(MODEL_16550A);
	assert_int_equal(uart_open(&uart), 0);
	uart_model_send(text, 10);
	uart_model_run(20 * uart_model_byte_ns());
	assert_int_equal(uart_receive(&uart, got, 4), 4);
	assert_int_equal(uart_receive(&uart, got + 4, 60), 6);
	assert_memory_equal(got, text, 10);
	assert_int_equal(uart_receive(&uart, got, 64), 0);
	assert_int_equal(uart.overruns, 0);
	uart_model_send(text, 20);
	uart_model_run(30 * uart_model_byte_ns());
	assert_int_equal(uart_receive(&uart, got, 64), 16);
	assert_int_equal(uart.overruns, 1);
}

static bool set_baud(uint32_t baud)
{
	uint32_t divisor = uart_divisor(&uart, baud);

	if (divisor)
		uart.ops->set_divisor(&uart, divisor);
	return divisor && uart.ops->get_divisor(&uart) == divisor;
}

static void a_rate_is_one_that_the_clock_can_make(void **state)
{
	(void)state;
	set_up(MODEL_16550A);
	assert_int_equal(uart_open(&uart), 0);
	assert_int_equal(uart_highest_baud(&uart), 115200);
	assert_true(set_baud(57600));
	assert_int_equal(uart_model.divisor, 2);
	assert_int_equal(uart_model.line, 3);
	assert_int_equal(uart_model.ier, 0);
	assert_false(set_baud(230400));
	assert_false(set_baud(100000)); /* 115200 would be right */
	assert_false(set_baud(0));
	assert_int_equal(uart_model.divisor, 2);
	uart.clock = 0;
	assert_false(set_baud(9600));
	set_up(MODEL_PL011);
	assert_int_equal(uart_open(&uart), 0);
	assert_int_equal(uart_highest_baud(&uart), 1500000);
	assert_true(set_baud(921600));
	assert_int_equal(uart_model.divisor, 1);
	assert_int_equal(uart_model.fraction, 40); /* 24 MHz / 16 / 921600 = 1.6276 */
	assert_int_equal(uart_model.line, 0x70);
	assert_int_equal(uart_model.control & 0x301, 0x301);
	set_up(MODEL_SBSA);
	assert_int_equal(uart_open(&uart), 0);
	uart.clock = 24000000;
	assert_false(set_baud(115200)); /* this UART has no such register */
	assert_int_equal(uart_model.strays, 0);
}

static void a_uart_of_acpi_is_accessed_as_its_table_describes(void **state)
{
	struct arch_uart_hint hint = { .interface_type = 0x12,
		                       .address = 0x1000,
		                       .access_size = 4,
		                       .clock = 48000000,
		                       .baud = 1500000 };

	(void)state;
	assert_int_equal(uart_describe(&uart, &hint), 0);
	assert_ptr_equal(uart.ops, &uart_16550);
	assert_true(uart.in_memory);
	assert_int_equal(uart.shift, 2);
	assert_int_equal(uart.size, 32);
	assert_int_equal(uart.clock, 48000000);
	assert_int_equal(uart.baud, 1500000);
	hint.access_size = 1;
	hint.reg_shift = 1;
	assert_int_equal(uart_describe(&uart, &hint), 0);
	assert_int_equal(uart.shift, 1);
	hint.space = 1;
	hint.interface_type = 3; /* a PL011 at a port */
	assert_int_equal(uart_describe(&uart, &hint), -ENODEV);
	hint.space = 0;
	assert_int_equal(uart_describe(&uart, &hint), 0);
	assert_ptr_equal(uart.ops, &uart_pl011);
	hint.interface_type = 0x0d;
	assert_int_equal(uart_describe(&uart, &hint), 0);
	assert_ptr_equal(uart.ops, &uart_sbsa);
	hint.interface_type = 2; /* a MAX311xE at SPI */
	assert_int_equal(uart_describe(&uart, &hint), -ENODEV);
	hint.interface_type = 0;
	hint.address = 0;
	assert_int_equal(uart_describe(&uart, &hint), -ENODEV);
}

/* In memory, through the driver's own access functions: registers that are plain bytes. */
static void registers_in_memory_are_where_shift_and_width_say(void **state)
{
	static uint32_t words[8];
	static uint8_t bytes[32];

	(void)state;
	uart_describe_16550(&uart, (uintptr_t)words, true, 4, 2);
	uart.access->write(&uart, 3, 0x1a);
	assert_int_equal(words[3], 0x1a);
	assert_int_equal(uart.access->read(&uart, 3), 0x1a);
	uart_describe_16550(&uart, (uintptr_t)bytes, true, 1, 2);
	uart.access->write(&uart, 5, 0x60);
	assert_int_equal(bytes[20], 0x60);
	assert_int_equal(uart.access->read(&uart, 5), 0x60);
}

static uint16_t port;
static uint8_t port_value;

static uint8_t read_port_of_test(uint16_t at)
{
	port = at;
	return 0x77;
}

static void write_port_of_test(uint16_t at, uint8_t value)
{
	port = at;
	port_value = value;
}

static void registers_at_ports_are_the_seams(void **state)
{
	(void)state;
	host_port_read = read_port_of_test;
	host_port_write = write_port_of_test;
	uart_describe_16550(&uart, 0x3f8, false, 1, 0);
	assert_int_equal(uart.access->read(&uart, 5), 0x77);
	assert_int_equal(port, 0x3fd);
	uart.access->write(&uart, 7, 0x5a);
	assert_int_equal(port, 0x3ff);
	assert_int_equal(port_value, 0x5a);
	host_port_read = NULL;
	host_port_write = NULL;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_fifo_is_as_deep_as_the_uart_reports),
		cmocka_unit_test(the_sender_may_continue_until_the_fifo_is_half_full),
		cmocka_unit_test(without_an_answer_there_is_no_device),
		cmocka_unit_test(a_line_with_settings_keeps_them),
		cmocka_unit_test(a_busy_designware_is_waited_for_and_loses_no_byte),
		cmocka_unit_test(a_line_without_settings_gets_115200),
		cmocka_unit_test(bytes_that_fit_are_sent_and_no_more),
		cmocka_unit_test(a_line_that_does_not_move_is_waited_for_once),
		cmocka_unit_test(received_bytes_are_taken_up_to_the_limit),
		cmocka_unit_test(a_rate_is_one_that_the_clock_can_make),
		cmocka_unit_test(a_uart_of_acpi_is_accessed_as_its_table_describes),
		cmocka_unit_test(registers_in_memory_are_where_shift_and_width_say),
		cmocka_unit_test(registers_at_ports_are_the_seams),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
