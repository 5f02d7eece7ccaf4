/* SPDX-License-Identifier: MIT */
/*
 * PL011 (DDI 0183) and its subset, the SBSA generic UART (DEN0029, appendix B). The latter has only
 * DR, RSR, FR and interrupt registers, so its rate and line settings are always the firmware's.
 */
#include <errno.h>

#include "lib/uart/uart.h"

/* offset / 4 */
#define DR        0x00
#define FR        0x06
#define IBRD      0x09
#define FBRD      0x0a
#define LCR_H     0x0b
#define CR        0x0c
#define PERIPHID0 0x3f8
#define PERIPHID1 0x3f9
#define PERIPHID2 0x3fa

#define DR_OE        (1U << 11)
#define FR_BUSY      (1U << 3)
#define FR_RXFE      (1U << 4)
#define FR_TXFF      (1U << 5)
#define LCR_H_FEN    (1U << 4)
#define LCR_H_WLEN_8 (3U << 5)
#define CR_ENABLE    0x301U /* UARTEN, TXE, RXE */
#define CR_UARTEN    0x001U

#define FIFO_OLD  16U /* up to r1p4 */
#define FIFO_R1P5 32U /* also the SBSA UART's */
#define DRAIN     100000U

/* DDI 0183, 3.3.14: a full PL011 has part number 011H; r1p5 has revision 3. */
static bool pl011_is_whole(const struct uart *uart)
{
	return (uart->access->read(uart, PERIPHID0) & 0xff) == 0x11 &&
	       (uart->access->read(uart, PERIPHID1) & 0x0f) == 0x0;
}

/* 3.3.7: the line settings may change only while the UART is disabled, and not while it sends. */
static void pl011_set_line(const struct uart *uart, uint32_t line)
{
	for (unsigned i = 0; i < DRAIN && uart->access->read(uart, FR) & FR_BUSY; i++)
		arch_relax();
	uart->access->write(uart, CR, uart->access->read(uart, CR) & ~CR_UARTEN);
	uart->access->write(uart, LCR_H, line);
	uart->access->write(uart, CR, uart->access->read(uart, CR) | CR_ENABLE);
}

static uint32_t pl011_get_divisor(const struct uart *uart)
{
	return uart->access->read(uart, IBRD) << 6 | (uart->access->read(uart, FBRD) & 0x3f);
}

static int pl011_probe(struct uart *uart)
{
	uint32_t line, divisor;

	if (uart->access->read(uart, FR) == UINT32_MAX)
		return -ENODEV;
	uart->fifo = FIFO_R1P5;
	if (!pl011_is_whole(uart))
		return 0;
	if ((uart->access->read(uart, PERIPHID2) >> 4 & 0xf) < 3)
		uart->fifo = FIFO_OLD;
	line = uart->access->read(uart, LCR_H) & 0xff;
	if (!(line & LCR_H_FEN) || !(uart->access->read(uart, CR) & CR_UARTEN))
		pl011_set_line(uart, line | LCR_H_WLEN_8 | LCR_H_FEN);
	divisor = pl011_get_divisor(uart);
	if (!uart->baud && uart->clock && divisor)
		uart->baud = (uint32_t)((uint64_t)uart->clock * 4 / divisor);
	return 0;
}

static unsigned pl011_room(const struct uart *uart)
{
	return !(uart->access->read(uart, FR) & FR_TXFF);
}

static void pl011_put(const struct uart *uart, uint8_t byte)
{
	uart->access->write(uart, DR, byte);
}

static int pl011_get(struct uart *uart)
{
	uint32_t data;

	if (uart->access->read(uart, FR) & FR_RXFE)
		return -1;
	data = uart->access->read(uart, DR);
	uart->overruns += data & DR_OE ? 1 : 0;
	return (int)(data & 0xff);
}

static bool pl011_idle(const struct uart *uart)
{
	return !(uart->access->read(uart, FR) & FR_BUSY);
}

/* The divisor in 64ths, as IBRD and FBRD hold it. */
static uint32_t pl011_divisor(const struct uart *uart, uint32_t baud)
{
	uint64_t divisor;

	if (!baud || baud > uart_highest_baud(uart) || !pl011_is_whole(uart))
		return 0;
	divisor = ((uint64_t)uart->clock * 4 + baud / 2) / baud;
	return divisor >> 6 > UINT16_MAX ? 0 : (uint32_t)divisor;
}

/* 3.3.6: IBRD and FBRD take effect with the write to LCR_H. */
static void pl011_set_divisor(const struct uart *uart, uint32_t divisor)
{
	uart->access->write(uart, IBRD, divisor >> 6);
	uart->access->write(uart, FBRD, divisor & 0x3f);
	pl011_set_line(uart, uart->access->read(uart, LCR_H) & 0xff);
}

const struct uart_ops uart_pl011 = {
	.name = "PL011",
	.probe = pl011_probe,
	.room = pl011_room,
	.put = pl011_put,
	.get = pl011_get,
	.idle = pl011_idle,
	.divisor = pl011_divisor,
	.get_divisor = pl011_get_divisor,
	.set_divisor = pl011_set_divisor,
};

/* Registers other than DR, RSR and FR must not be touched. */
static int pl011_sbsa_probe(struct uart *uart)
{
	uart->fifo = FIFO_R1P5;
	return uart->access->read(uart, FR) == UINT32_MAX ? -ENODEV : 0;
}

const struct uart_ops uart_sbsa = {
	.name = "SBSA UART",
	.probe = pl011_sbsa_probe,
	.room = pl011_room,
	.put = pl011_put,
	.get = pl011_get,
	.idle = pl011_idle,
};
