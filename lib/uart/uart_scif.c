/* SPDX-License-Identifier: MIT */
/*
 * Renesas' SCIF (R-Car H3 User's Manual: Hardware, chapter 50), with the firmware's settings. The
 * FIFOs' data registers have 8 bits, the others 16. Writing 0 to a flag clears it; writing 1 leaves
 * it.
 */
#include <errno.h>

#include "lib/uart/uart.h"

/* offset / 4 */
#define SCFTDR 3
#define SCFSR  4
#define SCFRDR 5
#define SCFDR  7
#define SCLSR  9

#define SCFSR_DR   (1U << 0)
#define SCFSR_RDF  (1U << 1)
#define SCFSR_TDFE (1U << 5)
#define SCFSR_TEND (1U << 6)
#define SCLSR_ORER (1U << 0)
#define FLAGS      0xffffU
#define FIFO       16U

static uint32_t scif_read(const struct uart *uart, unsigned reg)
{
	uint64_t at = uart->address + ((uint64_t)reg << uart->shift);

	return reg == SCFTDR || reg == SCFRDR ? *(volatile uint8_t *)at : *(volatile uint16_t *)at;
}

static void scif_write(const struct uart *uart, unsigned reg, uint32_t value)
{
	uint64_t at = uart->address + ((uint64_t)reg << uart->shift);

	if (reg == SCFTDR)
		*(volatile uint8_t *)at = (uint8_t)value;
	else
		*(volatile uint16_t *)at = (uint16_t)value;
}

const struct uart_access uart_scif_access = { scif_read, scif_write };

static unsigned scif_waiting(const struct uart *uart)
{
	return uart->access->read(uart, SCFDR) >> 8 & 0x1f;
}

static int scif_probe(struct uart *uart)
{
	uart->fifo = FIFO;
	return (uart->access->read(uart, SCFSR) & FLAGS) == FLAGS ? -ENODEV : 0;
}

static unsigned scif_room(const struct uart *uart)
{
	unsigned waiting = scif_waiting(uart);

	return waiting < FIFO ? FIFO - waiting : 0;
}

static void scif_put(const struct uart *uart, uint8_t byte)
{
	uart->access->write(uart, SCFTDR, byte);
	uart->access->read(uart, SCFSR); /* a flag can be cleared only after it was read */
	uart->access->write(uart, SCFSR, FLAGS & ~(SCFSR_TDFE | SCFSR_TEND));
}

static int scif_get(struct uart *uart)
{
	uint32_t byte;

	if (uart->access->read(uart, SCLSR) & SCLSR_ORER) {
		uart->overruns++;
		uart->access->write(uart, SCLSR, 0); /* it blocks reception */
	}
	if (!(uart->access->read(uart, SCFDR) & 0x1f))
		return -1;
	byte = uart->access->read(uart, SCFRDR);
	uart->access->read(uart, SCFSR);
	uart->access->write(uart, SCFSR, FLAGS & ~(SCFSR_RDF | SCFSR_DR));
	return (int)(byte & 0xff);
}

static bool scif_idle(const struct uart *uart)
{
	return !scif_waiting(uart) && uart->access->read(uart, SCFSR) & SCFSR_TEND;
}

const struct uart_ops uart_scif = {
	.name = "SCIF",
	.probe = scif_probe,
	.room = scif_room,
	.put = scif_put,
	.get = scif_get,
	.idle = scif_idle,
};
