/* SPDX-License-Identifier: MIT */
/*
 * UARTs, polled: a 16550 at I/O ports or in device memory, PL011 with its subset, the SBSA generic
 * UART, and UARTs of boards, which are used as the firmware set them up. Each has one struct of
 * operations; the holder of a struct uart has the device for itself. No call waits unless its
 * comment says so, and then only for a bounded time.
 *
 * Rate and line settings are left as they were set. A 16550 that nobody has set gets 115200 8N1.
 */
#ifndef LIB_UART_UART_H
#define LIB_UART_UART_H

#include "arch/arch.h"

struct uart;

/* Access to the registers by their numbers. */
struct uart_access {
	uint32_t (*read)(const struct uart *uart, unsigned reg);
	void (*write)(const struct uart *uart, unsigned reg, uint32_t value);
};

struct uart_ops {
	const char *name;
	/* Check that the UART exists; then enable its FIFOs and find their depth, and compute the
	 * rate from the clock and the divisor; set the line parameters if they are not set. Returns
	 * 0 or -ENODEV. */
	int (*probe)(struct uart *uart);
	/* room() can only see whether the whole FIFO is empty */
	bool all_or_none;
	/* Bytes that the transmitter accepts now without another check. */
	unsigned (*room)(const struct uart *uart);
	/* NULL if the UART has transfer() */
	void (*put)(const struct uart *uart, uint8_t byte);
	/* For a UART that must know how many bytes follow: count, at least 1 and at most room() */
	void (*transfer)(const struct uart *uart, const uint8_t *bytes, unsigned count);
	/* The next received byte, or -1. Counts overruns before it. */
	int (*get)(struct uart *uart);
	/* Whether the last bit was sent. */
	bool (*idle)(const struct uart *uart);
	/* NULL, like the next two: only the firmware sets the rate. The divisor of its clock for
	 * this rate, within 2 %, in units of its own; 0: not possible, or the clock is unknown. */
	uint32_t (*divisor)(const struct uart *uart, uint32_t baud);
	/* Read the divisor; set another one, which garbles the bytes in the FIFOs. */
	uint32_t (*get_divisor)(const struct uart *uart);
	void (*set_divisor)(const struct uart *uart, uint32_t divisor);
};

struct uart {
	const struct uart_ops *ops; /* NULL: there is no UART */
	const struct uart_access *access;
	uint64_t address; /* number of an I/O port, or address in memory */
	uint64_t size;    /* size of the register block, bytes */
	bool in_memory;
	bool stuck;    /* uart_write() has timed out */
	uint8_t shift; /* log2 of the distance of two registers */
	uint16_t fifo; /* depth of each FIFO in bytes; at least 1 */
	uint8_t word_bytes;
	uint32_t word;     /* read from the UART, not yet received: word_bytes, the next lowest */
	uint32_t clock;    /* input clock of the divisor, Hz; 0: unknown */
	uint32_t baud;     /* 0: unknown */
	uint32_t overruns; /* overruns that the UART has reported: bytes that found no room */
};

extern const struct uart_ops uart_16550, uart_16550_kept, uart_pl011, uart_sbsa, uart_imx,
    uart_meson, uart_cadence, uart_scif, uart_geni, uart_uartdm;

/* SCIF's registers have 8 or 16 bits. */
extern const struct uart_access uart_scif_access;

/* The clock of a PC's 16550, after its fixed division, 8.0 of PC16550D: 115200 at most. */
#define UART_16550_CLOCK 1843200U

/* Describe the UART that the tables name. Returns 0; -ENODEV: its kind is not supported, or there
 * is none. Accesses no hardware. Thread. */
int uart_describe(struct uart *uart, const struct arch_uart_hint *hint);

/* Describe a 16550 by its address, on a PCI card for example. access_size: bytes, 1 or 4. Accesses
 * no hardware. */
void uart_describe_16550(struct uart *uart, uint64_t address, bool in_memory, unsigned access_size,
                         unsigned shift);

/* Set up the UART, whose registers must be mapped. Returns 0, or -ENODEV if it does not respond:
 * ops is NULL then. Thread. */
int uart_open(struct uart *uart);

/* The operation "divisor"; 0 also if the UART has none. */
uint32_t uart_divisor(const struct uart *uart, uint32_t baud);

/* The highest rate that its clock allows; 0: unknown. */
uint32_t uart_highest_baud(const struct uart *uart);

/* Whether its FIFO can hold the bytes that arrive in this time, at 115200 baud if the rate is
 * unknown. */
bool uart_holds(const struct uart *uart, uint32_t ns);

/* Send these bytes, for which room() has found room. Not on two CPUs at once. Any context. */
void uart_put(const struct uart *uart, const uint8_t *bytes, unsigned count);

/* Send as many of these bytes as its FIFO accepts; returns their number. Not on two CPUs at once.
 * Any context. */
unsigned uart_send(const struct uart *uart, const uint8_t *bytes, unsigned count);

/* Receive up to count bytes from its FIFO; returns their number. Not on two CPUs at once. Any
 * context. */
unsigned uart_receive(struct uart *uart, uint8_t *bytes, unsigned count);

/* Send one byte, waiting for room, at most some 100 ms; after one timeout it does not wait again.
 * Any context: a panic uses it. */
void uart_write(struct uart *uart, uint8_t byte);

#endif
