/* SPDX-License-Identifier: MIT */
/* Amlogic's UART (S905 Datasheet, "UART"), as the firmware left it. */
#include <errno.h>

#include "lib/uart/uart.h"

/* offset / 4 */
#define WFIFO   0
#define RFIFO   1
#define CONTROL 2
#define STATUS  3

#define CONTROL_CLEAR_ERROR (1U << 24)
#define STATUS_RX_EMPTY     (1U << 20)
#define STATUS_TX_FULL      (1U << 21)
#define STATUS_TX_EMPTY     (1U << 22)
#define STATUS_OVERFLOW     (1U << 24)
#define STATUS_XMIT_BUSY    (1U << 25)
#define FIFO                64U

static int meson_probe(struct uart *uart)
{
	uart->fifo = FIFO;
	return uart->access->read(uart, STATUS) == UINT32_MAX ? -ENODEV : 0;
}

static unsigned meson_room(const struct uart *uart)
{
	return uart->access->read(uart, STATUS) & STATUS_TX_FULL ? 0 : 1;
}

static void meson_put(const struct uart *uart, uint8_t byte)
{
	uart->access->write(uart, WFIFO, byte);
}

/* The flag stays set until it is cleared. */
static void meson_count_overrun(struct uart *uart)
{
	uint32_t control = uart->access->read(uart, CONTROL);

	uart->overruns++;
	uart->access->write(uart, CONTROL, control | CONTROL_CLEAR_ERROR);
	uart->access->write(uart, CONTROL, control & ~CONTROL_CLEAR_ERROR);
}

static int meson_get(struct uart *uart)
{
	uint32_t status = uart->access->read(uart, STATUS);

	if (status & STATUS_OVERFLOW)
		meson_count_overrun(uart);
	return status & STATUS_RX_EMPTY ? -1 : (int)(uart->access->read(uart, RFIFO) & 0xff);
}

static bool meson_idle(const struct uart *uart)
{
	return (uart->access->read(uart, STATUS) & (STATUS_TX_EMPTY | STATUS_XMIT_BUSY)) ==
	       STATUS_TX_EMPTY;
}

const struct uart_ops uart_meson = {
	.name = "Amlogic UART",
	.probe = meson_probe,
	.room = meson_room,
	.put = meson_put,
	.get = meson_get,
	.idle = meson_idle,
};
