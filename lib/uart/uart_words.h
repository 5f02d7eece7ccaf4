/* SPDX-License-Identifier: MIT */
/* For UARTs whose FIFOs hold words of 1 to 4 bytes, the first byte lowest, and which are given the
 * number of bytes before the bytes. */
#ifndef LIB_UART_UART_WORDS_H
#define LIB_UART_UART_WORDS_H

#include "lib/uart/uart.h"

static inline void uart_words_put(const struct uart *uart, unsigned reg, const uint8_t *bytes,
                                  unsigned count, unsigned per_word)
{
	for (unsigned i = 0; i < count; i += per_word) {
		uint32_t word = 0;

		for (unsigned byte = 0; byte < per_word && i + byte < count; byte++)
			word |= (uint32_t)bytes[i + byte] << 8 * byte;
		uart->access->write(uart, reg, word);
	}
}

/* The next byte of the word that the driver has read last, or -1. */
static inline int uart_words_get(struct uart *uart)
{
	int byte = (int)(uart->word & 0xff);

	if (!uart->word_bytes)
		return -1;
	uart->word >>= 8;
	uart->word_bytes--;
	return byte;
}

#endif
