/* SPDX-License-Identifier: MIT */
/* NXP's i.MX UART (i.MX 8M Mini Applications Processor Reference Manual, 16.2.14), as the firmware
 * left it. */
#include <errno.h>

#include "lib/uart/uart.h"

/* offset / 4 */
#define URXD 0x00
#define UTXD 0x10
#define USR2 0x26
#define UTS  0x2d

#define URXD_OVRRUN (1U << 13)
#define USR2_RDR    (1U << 0)
#define USR2_TXDC   (1U << 3)
#define UTS_TXFULL  (1U << 4)
#define FIFO        32U

static int imx_probe(struct uart *uart)
{
	uart->fifo = FIFO;
	return uart->access->read(uart, USR2) == UINT32_MAX ? -ENODEV : 0;
}

static unsigned imx_room(const struct uart *uart)
{
	return uart->access->read(uart, UTS) & UTS_TXFULL ? 0 : 1;
}

static void imx_put(const struct uart *uart, uint8_t byte)
{
	uart->access->write(uart, UTXD, byte);
}

static int imx_get(struct uart *uart)
{
	uint32_t data;

	if (!(uart->access->read(uart, USR2) & USR2_RDR))
		return -1;
	data = uart->access->read(uart, URXD);
	uart->overruns += data & URXD_OVRRUN ? 1 : 0;
	return (int)(data & 0xff);
}

static bool imx_idle(const struct uart *uart)
{
	return uart->access->read(uart, USR2) & USR2_TXDC;
}

const struct uart_ops uart_imx = {
	.name = "i.MX UART",
	.probe = imx_probe,
	.room = imx_room,
	.put = imx_put,
	.get = imx_get,
	.idle = imx_idle,
};
