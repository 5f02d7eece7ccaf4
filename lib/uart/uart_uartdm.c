/* SPDX-License-Identifier: MIT */
/*
 * Qualcomm's UARTDM, versions 1.1 to 1.4, as the firmware left it; the registers' names are those
 * of Linux's driver, msm_serial, which uses these offsets for all versions. A word of the FIFOs
 * holds four bytes, or one in version 1.4's single-character mode.
 */
#include <errno.h>

#include "lib/uart/uart_words.h"

/* offset / 4 */
#define SR     0x02
#define CR     0x04 /* commands, written only */
#define ISR    0x05
#define DMRX   0x0d
#define DMEN   0x0f
#define NCF_TX 0x10
#define RXFS   0x14
#define TF     0x1c
#define RF     0x1c

#define SR_RX_READY            (1U << 0)
#define SR_OVERRUN             (1U << 4)
#define SR_TX_EMPTY            (1U << 3)
#define CR_RESET_ERR           (3U << 4)
#define CR_RESET_STALE_INT     (8U << 4)
#define CR_RESET_TX_READY      (3U << 8)
#define CR_FORCE_STALE         (4U << 8)
#define CR_STALE_EVENT_DISABLE (6U << 8)
#define ISR_TX_READY           (1U << 7) /* the last transfer has left the FIFO */
#define DMEN_DMA               0xfU
#define DMEN_TX_SINGLE         (1U << 4)
#define DMEN_RX_SINGLE         (1U << 5)
#define DMRX_MOST              0xffffffU
#define RXFS_PACKED(value)     ((value) >> 7 & 7) /* bytes that are no whole word yet */
#define FIFO_WORDS             16U

static unsigned uartdm_bytes_per_word(const struct uart *uart, uint32_t single)
{
	return uart->access->read(uart, DMEN) & single ? 1 : 4;
}

/* The stale event ends a word early after a pause; nothing but a count of all bytes says where. */
static int uartdm_probe(struct uart *uart)
{
	if (uart->access->read(uart, SR) == UINT32_MAX || uart->access->read(uart, DMEN) & DMEN_DMA)
		return -ENODEV;
	uart->fifo =
	    (uint16_t)(FIFO_WORDS * uartdm_bytes_per_word(uart, DMEN_TX_SINGLE | DMEN_RX_SINGLE));
	uart->access->write(uart, CR, CR_STALE_EVENT_DISABLE);
	return 0;
}

static bool uartdm_idle(const struct uart *uart)
{
	return uart->access->read(uart, SR) & SR_TX_EMPTY;
}

static unsigned uartdm_room(const struct uart *uart)
{
	return uartdm_idle(uart) || uart->access->read(uart, ISR) & ISR_TX_READY ? uart->fifo : 0;
}

static void uartdm_transfer(const struct uart *uart, const uint8_t *bytes, unsigned count)
{
	uart->access->write(uart, CR, CR_RESET_TX_READY);
	uart->access->write(uart, NCF_TX, count);
	uart->access->read(uart, NCF_TX); /* the count has arrived before the first word */
	uart_words_put(uart, TF, bytes, count, uartdm_bytes_per_word(uart, DMEN_TX_SINGLE));
}

/* A stale event moves the bytes of the packing buffer into the FIFO, and ends the reception. */
static void uartdm_read_packed(struct uart *uart)
{
	unsigned bytes = RXFS_PACKED(uart->access->read(uart, RXFS));

	if (!bytes)
		return;
	uart->access->write(uart, CR, CR_FORCE_STALE);
	uart->word = uart->access->read(uart, RF);
	uart->word_bytes = (uint8_t)(bytes < 4 ? bytes : 4);
	uart->access->write(uart, CR, CR_RESET_STALE_INT);
	uart->access->write(uart, DMRX, DMRX_MOST);
}

static void uartdm_read_word(struct uart *uart)
{
	unsigned bytes = uartdm_bytes_per_word(uart, DMEN_RX_SINGLE);

	if (uart->access->read(uart, SR) & SR_RX_READY) {
		uart->word = uart->access->read(uart, RF);
		uart->word_bytes = (uint8_t)bytes;
	} else if (bytes > 1) {
		uartdm_read_packed(uart);
	}
}

static int uartdm_get(struct uart *uart)
{
	if (uart->access->read(uart, SR) & SR_OVERRUN) {
		uart->overruns++;
		uart->access->write(uart, CR, CR_RESET_ERR);
	}
	if (!uart->word_bytes)
		uartdm_read_word(uart);
	return uart_words_get(uart);
}

const struct uart_ops uart_uartdm = {
	.name = "UARTDM",
	.probe = uartdm_probe,
	.room = uartdm_room,
	.transfer = uartdm_transfer,
	.get = uartdm_get,
	.idle = uartdm_idle,
};
