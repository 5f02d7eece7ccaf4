/* SPDX-License-Identifier: MIT */
/* Cadence's UART of Zynq (Xilinx UG585, chapter 19 and appendix B.33), as the firmware left it. */
#include <errno.h>

#include "lib/uart/uart.h"

/* offset / 4 */
#define ISR  0x05
#define SR   0x0b
#define FIFO 0x0c

#define ISR_ROVR   (1U << 5) /* a 1 clears it */
#define SR_REMPTY  (1U << 1)
#define SR_TEMPTY  (1U << 3)
#define SR_TFUL    (1U << 4)
#define SR_TACTIVE (1U << 11)
#define FIFO_SIZE  64U

static int cadence_probe(struct uart *uart)
{
	uart->fifo = FIFO_SIZE;
	return uart->access->read(uart, SR) == UINT32_MAX ? -ENODEV : 0;
}

static unsigned cadence_room(const struct uart *uart)
{
	return uart->access->read(uart, SR) & SR_TFUL ? 0 : 1;
}

static void cadence_put(const struct uart *uart, uint8_t byte)
{
	uart->access->write(uart, FIFO, byte);
}

static int cadence_get(struct uart *uart)
{
	if (uart->access->read(uart, SR) & SR_REMPTY)
		return -1;
	if (uart->access->read(uart, ISR) & ISR_ROVR) {
		uart->overruns++;
		uart->access->write(uart, ISR, ISR_ROVR);
	}
	return (int)(uart->access->read(uart, FIFO) & 0xff);
}

static bool cadence_idle(const struct uart *uart)
{
	return (uart->access->read(uart, SR) & (SR_TEMPTY | SR_TACTIVE)) == SR_TEMPTY;
}

const struct uart_ops uart_cadence = {
	.name = "Cadence UART",
	.probe = cadence_probe,
	.room = cadence_room,
	.put = cadence_put,
	.get = cadence_get,
	.idle = cadence_idle,
};
