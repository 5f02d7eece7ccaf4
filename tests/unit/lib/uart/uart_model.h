/* SPDX-License-Identifier: MIT */
/*
 * UARTs whose time the test moves: FIFOs of some depth, a line of some rate, bytes that overrun.
 * Written after the manuals that the drivers name, not after the drivers. One at a time.
 */
#ifndef TESTS_UNIT_LIB_UART_UART_MODEL_H
#define TESTS_UNIT_LIB_UART_UART_MODEL_H

#include "lib/uart/uart.h"

#define MODEL_PORT  0x2f8U
#define MODEL_BYTES (1U << 20) /* that a test may send, each way */

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
	bool stalled;   /* the other end lets nothing through */
	uint64_t takes; /* ns that each byte sent takes, whatever the divisor says; 0: its time */
	uint32_t line;  /* LCR; LCR_H */
	uint32_t control, divisor, fraction, scratch, ier, fcr, mcr, revision;
	bool latched; /* 16750: the FIFO of 64 was asked for while DLAB was open */
	/* Transmitter */
	uint8_t fifo[64];
	unsigned waiting; /* in fifo */
	bool shifting;
	uint8_t shifted;
	uint64_t shift_end;    /* ns */
	uint64_t transmitting; /* ns that it has sent bits for */
	uint64_t overruns;     /* bytes put where no room was */
	uint8_t sent[MODEL_BYTES];
	unsigned nr_sent;
	/* Receiver */
	uint8_t coming[MODEL_BYTES];
	unsigned nr_coming, arrived; /* given by the test; of these on this side of the line */
	unsigned taken;              /* by the driver, the lost ones included */
	unsigned in_fifo, lost, reported;
	uint8_t received[64];
	uint64_t next_arrival; /* ns */
	uint64_t accesses;     /* to registers */
	unsigned strays;       /* to those that an SBSA UART does not have */
};

extern struct uart_model uart_model;

/* A new one, after a reset, and a struct uart that reaches it. */
void uart_model_start(enum model_kind kind, struct uart *uart);

/* Let time pass. */
void uart_model_run(uint64_t ns);

/* The other end sends these, one behind the other from now on. */
void uart_model_send(const void *bytes, unsigned count);

/* ns that a byte takes on the line, at its divisor */
uint64_t uart_model_byte_ns(void);

#endif
