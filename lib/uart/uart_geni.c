/* SPDX-License-Identifier: MIT */
/*
 * The UART of Qualcomm's GENI serial engines, as the firmware left it; the registers' names are
 * those of Linux's driver, qcom_geni_serial. One command of the main sequencer sends a stated
 * number of bytes; one of the second sequencer receives until it is ended.
 */
#include <errno.h>

#include "lib/uart/uart_words.h"

/* offset / 4 */
#define GENI_STATUS       0x010
#define GENI_FW_REVISION  0x01a
#define DMA_MODE_EN       0x096
#define TX_PACKING_CFG0   0x098 /* CFG1 follows, for bytes 2 and 3 */
#define UART_TX_TRANS_LEN 0x09c
#define RX_PACKING_CFG0   0x0a1
#define M_CMD0            0x180
#define M_IRQ_CLEAR       0x186
#define S_CMD0            0x18c
#define S_IRQ_STATUS      0x190
#define S_IRQ_CLEAR       0x192
#define TX_FIFO           0x1c0
#define RX_FIFO           0x1e0
#define RX_FIFO_STATUS    0x201

#define STATUS_M_CMD_ACTIVE (1U << 0)
#define STATUS_S_CMD_ACTIVE (1U << 12)
#define FW_PROTOCOL(value)  ((value) >> 8 & 0xff)
#define FW_PROTOCOL_UART    2U
#define DMA_MODE            (1U << 0)
#define CMD_START           (1U << 27) /* bit of both sequencers' commands */
#define M_CMD_DONE          (1U << 0)
#define S_RX_FIFO_WR_ERR    (1U << 25)
#define RX_WORDS            0x01ffffffU
#define RX_LAST             (1U << 31)
#define RX_LAST_BYTES(v)    ((v) >> 28 & 7)
#define FIFO_WORDS          16U /* the least of all versions */

/* Two vectors of 10 bits in each register, one vector for each byte of a word: its first bit in
 * the word, the direction, the number of bits less 1, and whether it is the last one. */
#define VECTOR(byte) ((byte) << 8 | 7U << 1)
#define VECTOR_LAST  1U

/* 0: the words are not made of bytes, the first one lowest. */
static unsigned geni_bytes_per_word(const struct uart *uart, unsigned config)
{
	for (unsigned byte = 0; byte < 4; byte++) {
		uint32_t both = uart->access->read(uart, config + byte / 2);
		uint32_t vector = both >> 10 * (byte & 1) & 0x3ff;

		if ((vector & ~VECTOR_LAST) != VECTOR(byte))
			return 0;
		if (vector & VECTOR_LAST)
			return byte + 1;
	}
	return 0;
}

static int geni_probe(struct uart *uart)
{
	unsigned sends, receives;

	if (FW_PROTOCOL(uart->access->read(uart, GENI_FW_REVISION)) != FW_PROTOCOL_UART ||
	    uart->access->read(uart, DMA_MODE_EN) & DMA_MODE)
		return -ENODEV;
	sends = geni_bytes_per_word(uart, TX_PACKING_CFG0);
	receives = geni_bytes_per_word(uart, RX_PACKING_CFG0);
	uart->fifo = (uint16_t)(FIFO_WORDS * (sends < receives ? sends : receives));
	return uart->fifo ? 0 : -ENODEV;
}

static bool geni_idle(const struct uart *uart)
{
	return !(uart->access->read(uart, GENI_STATUS) & STATUS_M_CMD_ACTIVE);
}

static unsigned geni_room(const struct uart *uart)
{
	return geni_idle(uart) ? uart->fifo : 0;
}

static void geni_transfer(const struct uart *uart, const uint8_t *bytes, unsigned count)
{
	uart->access->write(uart, M_IRQ_CLEAR, M_CMD_DONE);
	uart->access->write(uart, UART_TX_TRANS_LEN, count);
	uart->access->write(uart, M_CMD0, CMD_START);
	uart_words_put(uart, TX_FIFO, bytes, count, geni_bytes_per_word(uart, TX_PACKING_CFG0));
}

/* All words but the last one are full. */
static void geni_read_word(struct uart *uart)
{
	uint32_t status = uart->access->read(uart, RX_FIFO_STATUS), words = status & RX_WORDS;
	unsigned bytes = geni_bytes_per_word(uart, RX_PACKING_CFG0);
	unsigned last = RX_LAST_BYTES(status);

	if (words) {
		uart->word = uart->access->read(uart, RX_FIFO);
		uart->word_bytes = (uint8_t)(words == 1 && status & RX_LAST && last && last < bytes
		                                 ? last
		                                 : bytes);
	} else if (!(uart->access->read(uart, GENI_STATUS) & STATUS_S_CMD_ACTIVE)) {
		uart->access->write(uart, S_CMD0, CMD_START);
	}
}

static int geni_get(struct uart *uart)
{
	if (uart->access->read(uart, S_IRQ_STATUS) & S_RX_FIFO_WR_ERR) {
		uart->overruns++;
		uart->access->write(uart, S_IRQ_CLEAR, S_RX_FIFO_WR_ERR);
	}
	if (!uart->word_bytes)
		geni_read_word(uart);
	return uart_words_get(uart);
}

const struct uart_ops uart_geni = {
	.name = "GENI UART",
	.probe = geni_probe,
	.room = geni_room,
	.transfer = geni_transfer,
	.get = geni_get,
	.idle = geni_idle,
};
