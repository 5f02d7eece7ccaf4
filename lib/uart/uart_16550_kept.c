/* SPDX-License-Identifier: MIT */
/*
 * Relatives of the 16550 with other registers for FIFO and rate: MediaTek's, Tegra's, and the
 * Raspberry Pi's mini UART (BCM2835 ARM Peripherals, 2.2). The firmware's settings are kept. THRE
 * means that there is room for one more byte; further room depends on the maker and a trigger
 * level.
 */
#include <errno.h>

#include "lib/uart/uart.h"

#define RBR 0 /* receiver, transmitter */
#define LSR 5

#define LSR_DR   0x01U
#define LSR_OE   0x02U
#define LSR_THRE 0x20U
#define LSR_TEMT 0x40U
#define FIFO     8U /* bytes, of the smallest FIFO among them */

static int uart_16550_kept_probe(struct uart *uart)
{
	uart->fifo = FIFO;
	return (uart->access->read(uart, LSR) & 0xff) == 0xff ? -ENODEV : 0;
}

static unsigned uart_16550_kept_room(const struct uart *uart)
{
	return uart->access->read(uart, LSR) & LSR_THRE ? 1 : 0;
}

static void uart_16550_kept_put(const struct uart *uart, uint8_t byte)
{
	uart->access->write(uart, RBR, byte);
}

static int uart_16550_kept_get(struct uart *uart)
{
	uint32_t status = uart->access->read(uart, LSR);

	uart->overruns += status & LSR_OE ? 1 : 0;
	return status & LSR_DR ? (int)(uart->access->read(uart, RBR) & 0xff) : -1;
}

static bool uart_16550_kept_idle(const struct uart *uart)
{
	return uart->access->read(uart, LSR) & LSR_TEMT;
}

const struct uart_ops uart_16550_kept = {
	.name = "16550",
	.probe = uart_16550_kept_probe,
	.room = uart_16550_kept_room,
	.put = uart_16550_kept_put,
	.get = uart_16550_kept_get,
	.idle = uart_16550_kept_idle,
};
