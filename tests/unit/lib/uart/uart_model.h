/* SPDX-License-Identifier: MIT */
/*
 * UARTs whose time the test advances: FIFOs of some depth, a line of some rate, bytes that overrun.
 * Written after the manuals that the drivers name, not after the drivers. One at a time.
 */
#ifndef TESTS_UNIT_LIB_UART_UART_MODEL_H
#define TESTS_UNIT_LIB_UART_UART_MODEL_H

#include "lib/uart/uart.h"

#define MODEL_PORT  0x2f8U
#define MODEL_BYTES (1U << 20) /* the most bytes that a test may send, in each direction */

enum model_kind {
	MODEL_NONE,
	MODEL_8250,
	MODEL_16550A,
	MODEL_16750,
	MODEL_DW,
	MODEL_PL011,
	MODEL_SBSA
};

struct uart_model {
	enum model_kind kind;
	unsigned depth; /* of its FIFOs, as they are enabled now */
	uint32_t clock; /* Hz */
	uint64_t now;   /* ns */
	bool stalled;   /* the other end accepts no bytes */
	uint64_t takes; /* ns that each byte takes, whatever the divisor is; 0: by the divisor */
	uint32_t line;  /* LCR; LCR_H */
	uint32_t control, divisor, fraction, scratch, ier, fcr, mcr, revision;
	bool latched; /* 16750: the 64-byte FIFO was requested while DLAB was set */
	/* Transmitter */
	uint8_t fifo[64];
	unsigned waiting; /* in fifo */
	bool shifting;
	uint8_t shifted;
	uint64_t shift_end;    /* ns */
	uint64_t transmitting; /* ns for which it has sent bits */
	uint64_t overruns;     /* bytes written without room */
	uint8_t sent[MODEL_BYTES];
	unsigned nr_sent;
	/* Receiver */
	uint8_t coming[MODEL_BYTES];
	unsigned nr_coming, arrived; /* bytes that the test sends; those that have arrived here */
	unsigned taken;              /* bytes that the driver took, with the lost ones */
	unsigned in_fifo, lost, reported;
	uint8_t received[64];
	uint64_t next_arrival; /* ns */
	uint64_t accesses;     /* accesses to registers */
	unsigned strays;       /* accesses to registers that an SBSA UART does not have */
};

extern struct uart_model uart_model;

/* A new UART after a reset, and a struct uart for it. */
void uart_model_start(enum model_kind kind, struct uart *uart);

/* Let time pass. */
void uart_model_run(uint64_t ns);

/* The other end sends these bytes, one after the other, from now on. */
void uart_model_send(const void *bytes, unsigned count);

/* ns that a byte takes on the line, by its divisor */
uint64_t uart_model_byte_ns(void);

#endif
