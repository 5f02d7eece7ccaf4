/* SPDX-License-Identifier: MIT */
/* UARTs of boards, used in the state in which the firmware left them: fake registers, written after
 * the manuals that the drivers name. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "lib/uart/uart.h"

#define DEPTH 8U /* of both FIFOs; SCIF's count goes to 16 */

struct kind {
	uint32_t type;
	unsigned transmit, receive; /* data registers */
	uint32_t (*read)(unsigned reg);
	void (*write)(unsigned reg, uint32_t value);
};

static struct {
	const struct kind *kind;
	unsigned waiting, lost; /* in the transmitter's FIFO; lost because there was no room */
	uint8_t sent[400];
	unsigned nr_sent;
	uint8_t coming[DEPTH];
	unsigned nr_coming;
	/* flags: the last byte is being sent; a byte was lost; no device answers; the transmitter
	 * sends */
	bool overrun, absent, sends;
	unsigned set_ups; /* writes to registers that only the firmware may set */
	uint32_t scif_flags;
} fake;

static struct uart uart;

static uint32_t take(void)
{
	uint32_t byte = fake.coming[0];

	assert_true(fake.nr_coming > 0);
	memmove(fake.coming, fake.coming + 1, --fake.nr_coming);
	return byte;
}

static bool is_empty(void)
{
	return fake.waiting == 0;
}

static unsigned depth(void)
{
	return fake.kind->type == ARCH_UART_SCIF ? 16 : DEPTH;
}

static bool is_full(void)
{
	return fake.waiting == depth();
}

static uint32_t reported_once(uint32_t flag)
{
	bool overrun = fake.overrun;

	fake.overrun = false;
	return overrun ? flag : 0;
}

/* THRE means that there is room for one byte. */
static uint32_t read_16550(unsigned reg)
{
	if (reg != 5)
		return 0;
	return (fake.nr_coming ? 0x01 : 0) | reported_once(0x02) | (is_full() ? 0 : 0x20) |
	       (is_empty() && !fake.sends ? 0x40 : 0);
}

static uint32_t read_imx(unsigned reg)
{
	switch (reg << 2) {
	case 0x98:
		return (fake.nr_coming ? 1U : 0) | (is_empty() && !fake.sends ? 1U << 3 : 0);
	case 0xb4:
		return is_full() ? 1U << 4 : 0;
	default:
		return 0;
	}
}

static uint32_t read_meson(unsigned reg)
{
	if (reg << 2 != 0x0c)
		return 0x3000;
	return (fake.nr_coming ? 0 : 1U << 20) | (is_full() ? 1U << 21 : 0) |
	       (is_empty() ? 1U << 22 : 0) | (fake.overrun ? 1U << 24 : 0) |
	       (fake.sends ? 1U << 25 : 0);
}

static void write_meson(unsigned reg, uint32_t value)
{
	if (reg << 2 == 0x08 && value == (0x3000 | 1U << 24))
		fake.overrun = false;
	else
		fake.set_ups += reg << 2 != 0x08 || value != 0x3000;
}

static uint32_t read_cadence(unsigned reg)
{
	if (reg << 2 == 0x14)
		return fake.overrun ? 1U << 5 : 0;
	if (reg << 2 != 0x2c)
		return 0;
	return (fake.nr_coming ? 0 : 1U << 1) | (is_empty() ? 1U << 3 : 0) |
	       (is_full() ? 1U << 4 : 0) | (fake.sends ? 1U << 11 : 0);
}

static void write_cadence(unsigned reg, uint32_t value)
{
	if (reg << 2 == 0x14 && value == 1U << 5)
		fake.overrun = false;
	else
		fake.set_ups++;
}

static uint32_t read_scif(unsigned reg)
{
	switch (reg << 2) {
	case 0x10:
		return fake.scif_flags | (is_empty() && !fake.sends ? 1U << 6 : 0);
	case 0x1c:
		return fake.waiting << 8 | fake.nr_coming;
	case 0x24:
		return fake.overrun;
	default:
		return 0;
	}
}

/* Writing 1 keeps a flag, writing 0 clears it; error flags stay. */
static void write_scif(unsigned reg, uint32_t value)
{
	if (reg << 2 == 0x10) {
		assert_true((value | 0x63) == 0xffff);
		fake.scif_flags &= value;
	} else if (reg << 2 == 0x24 && value == 0) {
		fake.overrun = false;
	} else {
		fake.set_ups++;
	}
}

static void write_nothing(unsigned reg, uint32_t value)
{
	(void)reg;
	(void)value;
	fake.set_ups++;
}

static const struct kind kinds[] = {
	{ ARCH_UART_MEDIATEK, 0, 0, read_16550, write_nothing },
	{ ARCH_UART_TEGRA, 0, 0, read_16550, write_nothing },
	{ ARCH_UART_BCM2835_AUX, 0, 0, read_16550, write_nothing },
	{ ARCH_UART_IMX, 0x40 / 4, 0, read_imx, write_nothing },
	{ ARCH_UART_MESON, 0, 1, read_meson, write_meson },
	{ ARCH_UART_CADENCE, 0x30 / 4, 0x30 / 4, read_cadence, write_cadence },
	{ ARCH_UART_SCIF, 0x0c / 4, 0x14 / 4, read_scif, write_scif },
};
#define KINDS (sizeof(kinds) / sizeof(kinds[0]))

static uint32_t fake_read(const struct uart *of, unsigned reg)
{
	(void)of;
	if (fake.absent)
		return UINT32_MAX;
	if (reg == fake.kind->receive && fake.nr_coming)
		return take() | (fake.kind->type == ARCH_UART_IMX ? reported_once(1U << 13) : 0);
	return fake.kind->read(reg);
}

static void fake_write(const struct uart *of, unsigned reg, uint32_t value)
{
	(void)of;
	if (reg != fake.kind->transmit) {
		fake.kind->write(reg, value);
		return;
	}
	fake.lost += is_full();
	fake.waiting += !is_full();
	fake.sends = true;
	fake.sent[fake.nr_sent++ % sizeof(fake.sent)] = (uint8_t)value;
}

static const struct uart_access fake_access = { fake_read, fake_write };

static void begin(unsigned kind)
{
	struct arch_uart_hint hint = { .interface_type = kinds[kind].type,
		                       .address = 0x11002000,
		                       .baud = 921600 };

	memset(&fake, 0, sizeof(fake));
	fake.kind = &kinds[kind];
	fake.scif_flags = 0x23;
	assert_int_equal(uart_describe(&uart, &hint), 0);
	assert_true(uart.in_memory && uart.size >= 0x10);
	assert_int_equal(uart.baud, 921600);
	assert_int_equal(uart.shift, 2);
	uart.access = &fake_access;
}

static void without_an_answer_there_is_no_device(void **state)
{
	(void)state;
	for (unsigned i = 0; i < KINDS; i++) {
		begin(i);
		assert_int_equal(uart_open(&uart), 0);
		assert_true(uart.fifo >= DEPTH);
		begin(i);
		fake.absent = true;
		assert_int_equal(uart_open(&uart), -ENODEV);
	}
}

static void bytes_that_fit_are_sent_without_changing_settings(void **state)
{
	uint8_t text[300];

	(void)state;
	for (unsigned i = 0; i < sizeof(text); i++)
		text[i] = (uint8_t)(i * 7 + 1);
	for (unsigned i = 0; i < KINDS; i++) {
		unsigned sent = 0;

		begin(i);
		assert_int_equal(uart_open(&uart), 0);
		assert_true(uart.ops->idle(&uart));
		assert_int_equal(uart_send(&uart, text, 1), 1);
		assert_false(uart.ops->idle(&uart));
		for (sent = 1; sent<sizeof(text); fake.waiting -= fake.waiting> 0)
			sent += uart_send(&uart, text + sent, (unsigned)sizeof(text) - sent);
		fake.waiting = 0;
		assert_false(uart.ops->idle(&uart)); /* the last byte is still being sent */
		fake.sends = false;
		assert_true(uart.ops->idle(&uart));
		assert_int_equal(fake.lost, 0);
		assert_int_equal(fake.nr_sent, sizeof(text));
		assert_memory_equal(fake.sent, text, sizeof(text));
		assert_int_equal(uart_divisor(&uart, 115200), 0);
		assert_int_equal(fake.set_ups, 0);
	}
}

static void a_full_fifo_takes_nothing(void **state)
{
	(void)state;
	for (unsigned i = 0; i < KINDS; i++) {
		begin(i);
		assert_int_equal(uart_open(&uart), 0);
		fake.waiting = depth();
		assert_int_equal(uart_send(&uart, (const uint8_t *)"x", 1), 0);
		uart_write(&uart, 'x'); /* within its time limit */
		assert_int_equal(fake.nr_sent, 0);
	}
}

static void received_bytes_are_taken_and_an_overrun_is_counted_once(void **state)
{
	uint8_t got[32];

	(void)state;
	for (unsigned i = 0; i < KINDS; i++) {
		begin(i);
		assert_int_equal(uart_open(&uart), 0);
		assert_int_equal(uart_receive(&uart, got, sizeof(got)), 0);
		memcpy(fake.coming, "a\0\377d", 4);
		fake.nr_coming = 4;
		fake.overrun = true;
		assert_int_equal(uart_receive(&uart, got, 3), 3);
		assert_int_equal(uart_receive(&uart, got + 3, sizeof(got) - 3), 1);
		assert_memory_equal(got, "a\0\377d", 4);
		assert_int_equal(uart.overruns, 1);
		assert_int_equal(fake.set_ups, 0);
	}
}

/* Its registers, by its own access functions. */
static void scifs_data_are_bytes_and_its_flags_halfwords(void **state)
{
	static uint16_t words[0x28 / 2];
	struct uart scif = { .address = (uintptr_t)words, .shift = 2 };

	(void)state;
	memset(words, 0xff, sizeof(words));
	uart_scif_access.write(&scif, 3, 0x41);
	assert_int_equal(words[6], 0xff41);
	uart_scif_access.write(&scif, 4, 0x1234);
	assert_int_equal(words[8], 0x1234);
	assert_int_equal(words[9], 0xffff);
	assert_int_equal(uart_scif_access.read(&scif, 4), 0x1234);
	words[10] = 0x5a;
	assert_int_equal(uart_scif_access.read(&scif, 5), 0x5a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(without_an_answer_there_is_no_device),
		cmocka_unit_test(bytes_that_fit_are_sent_without_changing_settings),
		cmocka_unit_test(a_full_fifo_takes_nothing),
		cmocka_unit_test(received_bytes_are_taken_and_an_overrun_is_counted_once),
		cmocka_unit_test(scifs_data_are_bytes_and_its_flags_halfwords),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
