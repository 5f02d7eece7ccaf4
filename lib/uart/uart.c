/* SPDX-License-Identifier: MIT */
#include "lib/uart/uart.h"

#include <errno.h>

/* Address spaces of ACPI's generic addresses. */
#define SPACE_MEMORY 0

#define WORDS_SHIFT 2

#define USUAL_BAUD 115200U
#define BYTE_BITS  10U /* start, 8, stop */

/* A byte takes 87 us at 115200 baud, a poll some 100 ns to 1 us. */
#define POLLS 100000U

static volatile void *uart_at(const struct uart *uart, unsigned reg)
{
	return (volatile void *)(uintptr_t)(uart->address + ((uint64_t)reg << uart->shift));
}

static uint32_t uart_read_port(const struct uart *uart, unsigned reg)
{
	return arch_port_read((uint16_t)(uart->address + reg));
}

static void uart_write_port(const struct uart *uart, unsigned reg, uint32_t value)
{
	arch_port_write((uint16_t)(uart->address + reg), (uint8_t)value);
}

static uint32_t uart_read_byte(const struct uart *uart, unsigned reg)
{
	return *(volatile uint8_t *)uart_at(uart, reg);
}

static void uart_write_byte(const struct uart *uart, unsigned reg, uint32_t value)
{
	*(volatile uint8_t *)uart_at(uart, reg) = (uint8_t)value;
}

static uint32_t uart_read_word(const struct uart *uart, unsigned reg)
{
	return *(volatile uint32_t *)uart_at(uart, reg);
}

static void uart_write_word(const struct uart *uart, unsigned reg, uint32_t value)
{
	*(volatile uint32_t *)uart_at(uart, reg) = value;
}

static const struct uart_access port_access = { uart_read_port, uart_write_port };
static const struct uart_access byte_access = { uart_read_byte, uart_write_byte };
static const struct uart_access word_access = { uart_read_word, uart_write_word };

void uart_describe_16550(struct uart *uart, uint64_t address, bool in_memory, unsigned access_size,
                         unsigned shift)
{
	if (access_size == 4 && shift == 0)
		shift = 2; /* words must be at least 4 bytes apart */
	*uart = (struct uart){
		.ops = &uart_16550,
		.access = !in_memory         ? &port_access
		          : access_size == 4 ? &word_access
		                             : &byte_access,
		.address = address,
		.size = 8ULL << shift,
		.in_memory = in_memory,
		.shift = (uint8_t)shift,
		.fifo = 1,
		.clock = in_memory ? 0 : UART_16550_CLOCK,
	};
}

/* UARTs in memory whose registers are words, 4 bytes apart. */
static const struct uart_kind {
	uint32_t type;
	const struct uart_ops *ops;
	const struct uart_access *access;
	uint32_t size;
} uart_kinds[] = {
	{ ARCH_UART_PL011, &uart_pl011, &word_access, 0x1000 },
	{ ARCH_UART_SBSA, &uart_sbsa, &word_access, 0x1000 },
	{ ARCH_UART_SBSA_32, &uart_sbsa, &word_access, 0x1000 },
	{ ARCH_UART_TEGRA, &uart_16550_kept, &word_access, 0x20 },
	{ ARCH_UART_BCM2835_AUX, &uart_16550_kept, &word_access, 0x20 },
	{ ARCH_UART_MEDIATEK, &uart_16550_kept, &word_access, 0x20 },
	{ ARCH_UART_IMX, &uart_imx, &word_access, 0x100 },
	{ ARCH_UART_MESON, &uart_meson, &word_access, 0x10 },
	{ ARCH_UART_CADENCE, &uart_cadence, &word_access, 0x40 },
	{ ARCH_UART_SCIF, &uart_scif, &uart_scif_access, 0x28 },
	{ ARCH_UART_SDM845, &uart_geni, &word_access, 0x1000 },
	{ ARCH_UART_SDM845_7372, &uart_geni, &word_access, 0x1000 },
	{ ARCH_UART_MSM8X60, &uart_uartdm, &word_access, 0x80 },
	{ ARCH_UART_MSM8974, &uart_uartdm, &word_access, 0x80 },
};

static int uart_describe_kind(struct uart *uart, const struct arch_uart_hint *hint)
{
	for (unsigned i = 0; i < sizeof(uart_kinds) / sizeof(uart_kinds[0]); i++) {
		const struct uart_kind *kind = &uart_kinds[i];

		if (kind->type != hint->interface_type || hint->space != SPACE_MEMORY)
			continue;
		*uart = (struct uart){
			.ops = kind->ops,
			.access = kind->access,
			.address = hint->address,
			.size = kind->size,
			.in_memory = true,
			.shift = WORDS_SHIFT,
			.fifo = 1,
		};
		return 0;
	}
	return -ENODEV;
}

int uart_describe(struct uart *uart, const struct arch_uart_hint *hint)
{
	int code = 0;

	*uart = (struct uart){ 0 };
	if (!hint->address)
		return -ENODEV;
	if (hint->interface_type == ARCH_UART_16550 || hint->interface_type == ARCH_UART_16450 ||
	    hint->interface_type == ARCH_UART_16550_GAS)
		uart_describe_16550(uart, hint->address, hint->space == SPACE_MEMORY,
		                    hint->access_size, hint->reg_shift);
	else
		code = uart_describe_kind(uart, hint);
	if (code)
		return code;
	if (hint->clock)
		uart->clock = hint->clock;
	uart->baud = hint->baud;
	return 0;
}

int uart_open(struct uart *uart)
{
	if (uart->ops && uart->ops->probe(uart) == 0)
		return 0;
	uart->ops = NULL;
	return -ENODEV;
}

uint32_t uart_divisor(const struct uart *uart, uint32_t baud)
{
	return uart->ops->divisor ? uart->ops->divisor(uart, baud) : 0;
}

uint32_t uart_highest_baud(const struct uart *uart)
{
	return uart->clock / 16;
}

bool uart_holds(const struct uart *uart, uint32_t ns)
{
	uint64_t bits = (uint64_t)(uart->baud ? uart->baud : USUAL_BAUD) * ns / 1000000000U;

	return bits <= uart->fifo * BYTE_BITS;
}

void uart_put(const struct uart *uart, const uint8_t *bytes, unsigned count)
{
	if (uart->ops->transfer && count) {
		uart->ops->transfer(uart, bytes, count);
		return;
	}
	for (unsigned i = 0; i < count; i++)
		uart->ops->put(uart, bytes[i]);
}

unsigned uart_send(const struct uart *uart, const uint8_t *bytes, unsigned count)
{
	unsigned sent = 0;

	while (sent < count) {
		unsigned room = uart->ops->room(uart);

		if (!room || sent >= uart->fifo)
			break;
		if (room > count - sent)
			room = count - sent;
		uart_put(uart, bytes + sent, room);
		sent += room;
	}
	return sent;
}

unsigned uart_receive(struct uart *uart, uint8_t *bytes, unsigned count)
{
	unsigned got = 0;
	int byte;

	while (got < count && (byte = uart->ops->get(uart)) >= 0)
		bytes[got++] = (uint8_t)byte;
	return got;
}

void uart_write(struct uart *uart, uint8_t byte)
{
	unsigned polls = uart->stuck ? 1 : POLLS;

	while (polls > 0 && !uart->ops->room(uart)) {
		arch_relax();
		polls--;
	}
	uart->stuck = polls == 0;
	if (!uart->stuck)
		uart_put(uart, &byte, 1);
}
