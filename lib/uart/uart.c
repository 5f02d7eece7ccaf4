/* SPDX-License-Identifier: MIT */
#include "lib/uart/uart.h"

#include <errno.h>

/* Interface types of ACPI's SPCR, which are DBG2's serial subtypes (Microsoft, "Debug Port Table
 * 2"), and address spaces of its generic addresses. */
#define TYPE_16550     0x00
#define TYPE_16450     0x01
#define TYPE_PL011     0x03
#define TYPE_SBSA_32   0x0d
#define TYPE_SBSA      0x0e
#define TYPE_16550_GAS 0x12
#define SPACE_MEMORY   0

#define USUAL_BAUD 115200U
#define BYTE_BITS  10U /* start, 8, stop */

#define PL011_SIZE  0x1000U
#define PL011_SHIFT 2 /* its registers are 4 bytes apart */

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
		shift = 2; /* words cannot be closer */
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

static void uart_describe_pl011(struct uart *uart, const struct uart_ops *ops, uint64_t address)
{
	*uart = (struct uart){
		.ops = ops,
		.access = &word_access,
		.address = address,
		.size = PL011_SIZE,
		.in_memory = true,
		.shift = PL011_SHIFT,
		.fifo = 1,
	};
}

int uart_describe(struct uart *uart, const struct arch_uart_hint *hint)
{
	bool in_memory = hint->space == SPACE_MEMORY;

	*uart = (struct uart){ 0 };
	if (!hint->address)
		return -ENODEV;
	switch (hint->interface_type) {
	case TYPE_16550:
	case TYPE_16450:
	case TYPE_16550_GAS:
		uart_describe_16550(uart, hint->address, in_memory, hint->access_size,
		                    hint->reg_shift);
		break;
	case TYPE_PL011:
	case TYPE_SBSA_32:
	case TYPE_SBSA:
		if (!in_memory)
			return -ENODEV;
		uart_describe_pl011(uart,
		                    hint->interface_type == TYPE_PL011 ? &uart_pl011 : &uart_sbsa,
		                    hint->address);
		break;
	default:
		return -ENODEV;
	}
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

unsigned uart_send(const struct uart *uart, const uint8_t *bytes, unsigned count)
{
	unsigned sent = 0;

	while (sent < count) {
		unsigned room = uart->ops->room(uart);

		if (!room || sent >= uart->fifo)
			break;
		for (; room && sent < count; room--)
			uart->ops->put(uart, bytes[sent++]);
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
		uart->ops->put(uart, byte);
}
