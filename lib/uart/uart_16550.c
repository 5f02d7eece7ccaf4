/* SPDX-License-Identifier: MIT */
/*
 * National Semiconductor PC16550D, 8.0. Of its successors: the TL16C750, whose FIFO of 64 bytes is
 * enabled by a bit of FCR that is writable only while DLAB is set; and Synopsys' DesignWare
 * DW_apb_uart (its databook, "LCR"), which ignores writes to LCR while a byte is on the line.
 */
#include <errno.h>

#include "lib/uart/uart.h"

#define RBR 0 /* receiver, transmitter; divisor's low byte while DLAB */
#define IER 1 /* interrupts; divisor's high byte while DLAB */
#define IIR 2 /* read */
#define FCR 2 /* write */
#define LCR 3
#define MCR 4
#define LSR 5
#define SCR 7

#define IIR_FIFO       0xc0U /* both bits: a FIFO that works (the original 16550's does not) */
#define IIR_FIFO_64    0x20U
#define FCR_ENABLE     0x01U
#define FCR_64         0x20U
#define FCR_HALF       0x80U /* the receiver's trigger level */
#define LCR_8N1        0x03U
#define LCR_DLAB       0x80U
#define MCR_DTR_RTS    0x03U
#define MCR_FLOW       0x20U /* TL16C750: RTS and CTS by hardware; kept as it is */
#define LSR_DR         0x01U
#define LSR_OE         0x02U
#define LSR_THRE       0x20U
#define LSR_TEMT       0x40U
#define POLLS          100000U /* some 100 ms: longer than full FIFOs take at 9600 baud */
#define DIVISOR_115200 1U      /* if the clock is the PC's, or unknown */

static uint32_t uart_16550_get(const struct uart *uart, unsigned reg)
{
	return uart->access->read(uart, reg) & 0xff;
}

static void uart_16550_set(const struct uart *uart, unsigned reg, uint32_t value)
{
	uart->access->write(uart, reg, value);
}

/* The scratch register keeps a written value; without a UART all reads are FFH. */
static bool uart_16550_answers(const struct uart *uart)
{
	uint32_t before = uart_16550_get(uart, SCR);
	bool kept;

	uart_16550_set(uart, SCR, 0x5a);
	kept = uart_16550_get(uart, SCR) == 0x5a;
	uart_16550_set(uart, SCR, before);
	return kept && uart_16550_get(uart, LSR) != 0xff;
}

/* Returns whether LCR has taken the value: if not, the registers behind DLAB must not be
 * touched. */
static bool uart_16550_set_line(const struct uart *uart, uint32_t line)
{
	for (unsigned i = 0; i < POLLS; i++) {
		uart_16550_set(uart, LCR, line);
		if ((uart_16550_get(uart, LCR) & 0xff) == line)
			return true;
		arch_relax();
	}
	return false;
}

/* 0: it cannot be read. */
static uint32_t uart_16550_divisor(const struct uart *uart, uint32_t line)
{
	uint32_t divisor = 0;

	if (uart_16550_set_line(uart, line | LCR_DLAB))
		divisor = uart_16550_get(uart, RBR) | uart_16550_get(uart, IER) << 8;
	uart_16550_set_line(uart, line);
	return divisor;
}

static void uart_16550_set_divisor(const struct uart *uart, uint32_t line, uint32_t divisor)
{
	if (uart_16550_set_line(uart, line | LCR_DLAB)) {
		uart_16550_set(uart, RBR, divisor & 0xff);
		uart_16550_set(uart, IER, divisor >> 8);
	}
	uart_16550_set_line(uart, line);
}

static void uart_16550_enable_fifo(struct uart *uart, uint32_t line)
{
	uint32_t iir;

	uart_16550_set_line(uart, line | LCR_DLAB);
	/* The sender gets RTS up to the trigger level (MCR_FLOW), and QEMU delivers bytes at once.
	 * With its reset value of 1 only one byte per tick would arrive. */
	uart_16550_set(uart, FCR, FCR_ENABLE | FCR_64 | FCR_HALF);
	uart_16550_set_line(uart, line);
	iir = uart_16550_get(uart, IIR);
	uart->fifo = (iir & IIR_FIFO) != IIR_FIFO ? 1 : iir & IIR_FIFO_64 ? 64 : 16;
}

/* Eight bits and a divisor mean that someone has set up the UART: after a reset LCR is 0. */
static int uart_16550_probe(struct uart *uart)
{
	uint32_t line, divisor;

	if (!uart_16550_answers(uart))
		return -ENODEV;
	line = uart_16550_get(uart, LCR) & ~LCR_DLAB & 0xff;
	divisor = uart_16550_divisor(uart, line);
	if ((line & LCR_8N1) != LCR_8N1 || !divisor) {
		line = LCR_8N1;
		divisor = DIVISOR_115200;
		uart_16550_set_divisor(uart, line, divisor);
		uart->baud = UART_16550_CLOCK / 16;
	} else if (!uart->baud && uart->clock) {
		uart->baud = uart->clock / 16 / divisor;
	}
	uart_16550_set(uart, IER, 0); /* polled */
	uart_16550_enable_fifo(uart, line);
	uart_16550_set(uart, MCR, (uart_16550_get(uart, MCR) & MCR_FLOW) | MCR_DTR_RTS);
	return 0;
}

static unsigned uart_16550_room(const struct uart *uart)
{
	return uart_16550_get(uart, LSR) & LSR_THRE ? uart->fifo : 0;
}

static void uart_16550_put(const struct uart *uart, uint8_t byte)
{
	uart_16550_set(uart, RBR, byte);
}

static int uart_16550_take(struct uart *uart)
{
	uint32_t status = uart_16550_get(uart, LSR);

	uart->overruns += status & LSR_OE ? 1 : 0;
	return status & LSR_DR ? (int)uart_16550_get(uart, RBR) : -1;
}

static bool uart_16550_idle(const struct uart *uart)
{
	return uart_16550_get(uart, LSR) & LSR_TEMT;
}

static uint32_t uart_16550_divisor_of(const struct uart *uart, uint32_t baud)
{
	uint32_t most = uart_highest_baud(uart), divisor, reached;

	if (!baud || baud > most)
		return 0;
	divisor = (most + baud / 2) / baud;
	reached = most / divisor;
	if (divisor > UINT16_MAX || (reached > baud ? reached - baud : baud - reached) > baud / 50)
		return 0;
	return divisor;
}

static uint32_t uart_16550_line(const struct uart *uart)
{
	return uart_16550_get(uart, LCR) & ~LCR_DLAB & 0xff;
}

static uint32_t uart_16550_get_divisor(const struct uart *uart)
{
	return uart_16550_divisor(uart, uart_16550_line(uart));
}

static void uart_16550_change_divisor(const struct uart *uart, uint32_t divisor)
{
	uart_16550_set_divisor(uart, uart_16550_line(uart), divisor);
}

const struct uart_ops uart_16550 = {
	.name = "16550",
	.probe = uart_16550_probe,
	.all_or_none = true,
	.room = uart_16550_room,
	.put = uart_16550_put,
	.get = uart_16550_take,
	.idle = uart_16550_idle,
	.divisor = uart_16550_divisor_of,
	.get_divisor = uart_16550_get_divisor,
	.set_divisor = uart_16550_change_divisor,
};
