/* SPDX-License-Identifier: MIT */
/*
 * UARTs, polled: a 16550 at I/O ports or in device memory, and PL011 with its subset, the SBSA
 * generic UART, and those of boards, which are used as the
 * firmware left them. One struct of operations each; who holds a struct uart has the device for
 * itself. No call waits but those that say so, and then within a bound.
 *
 * Rate and line are as whoever set them left them. Where nobody did, a 16550 gets 115200 8N1.
 */
#ifndef LIB_UART_UART_H
#define LIB_UART_UART_H

#include "arch/arch.h"

struct uart;

/* How its registers are reached, by their numbers. */
struct uart_access {
	uint32_t (*read)(const struct uart *uart, unsigned reg);
	void (*write)(const struct uart *uart, unsigned reg, uint32_t value);
};

struct uart_ops {
	const char *name;
	/* Is it there? Then enable its FIFOs and find their depth, and what the clock and the
	 * divisor say of the rate; set the line if nobody has. 0 or -ENODEV. */
	int (*probe)(struct uart *uart);
	/* Does room() see no more than that all of the FIFO is empty? */
	bool all_or_none;
	/* Bytes that the transmitter takes now, without a look in between. */
	unsigned (*room)(const struct uart *uart);
	void (*put)(const struct uart *uart, uint8_t byte);
	/* The next byte that came, or -1. It counts what was overrun before. */
	int (*get)(struct uart *uart);
	/* Has the last bit left? */
	bool (*idle)(const struct uart *uart);
	/* NULL, as the next two: the rate is the firmware's. The divisor of its clock for so many
	 * bits a second, within 2 %, in units of its own; 0: not possible, or the clock is
	 * unknown. */
	uint32_t (*divisor)(const struct uart *uart, uint32_t baud);
	/* Get the divisor; set another one. The bytes in the FIFOs are garbled. */
	uint32_t (*get_divisor)(const struct uart *uart);
	void (*set_divisor)(const struct uart *uart, uint32_t divisor);
};

struct uart {
	const struct uart_ops *ops; /* NULL: there is none */
	const struct uart_access *access;
	uint64_t address; /* of a port, or of memory */
	uint64_t size;    /* bytes, of its registers */
	bool in_memory;
	bool stuck;        /* uart_write() waited in vain */
	uint8_t shift;     /* from a register's number to its offset */
	uint16_t fifo;     /* bytes, of each; at least 1 */
	uint32_t clock;    /* Hz, what the divisor divides; 0: unknown */
	uint32_t baud;     /* 0: unknown */
	uint32_t overruns; /* that it told of: bytes that came and found no room */
};

extern const struct uart_ops uart_16550, uart_16550_kept, uart_pl011, uart_sbsa, uart_imx,
    uart_meson, uart_cadence, uart_scif;

/* SCIF's registers have 8 or 16 bits. */
extern const struct uart_access uart_scif_access;

/* The clock of a PC's 16550, after its fixed division, 8.0 of PC16550D: 115200 at most. */
#define UART_16550_CLOCK 1843200U

/* The UART that ACPI tells of. 0; -ENODEV: one of a kind that we do not know, or none. Nothing is
 * touched. Thread. */
int uart_describe(struct uart *uart, const struct arch_uart_hint *hint);

/* A 16550 by its place: a PCI card's, say. access_size: bytes, 1 or 4. Nothing is touched. */
void uart_describe_16550(struct uart *uart, uint64_t address, bool in_memory, unsigned access_size,
                         unsigned shift);

/* Make it ready. With its registers mapped. 0, or -ENODEV if it does not answer: ops is NULL
 * then. Thread. */
int uart_open(struct uart *uart);

/* Its operation "divisor"; 0 as well where it has none. */
uint32_t uart_divisor(const struct uart *uart, uint32_t baud);

/* Bits a second that its clock allows at the most; 0: unknown. */
uint32_t uart_highest_baud(const struct uart *uart);

/* Does its FIFO hold what comes in so many ns, at 115200 baud where its rate is unknown? */
bool uart_holds(const struct uart *uart, uint32_t ns);

/* Give it as many of these bytes as its FIFO takes; how many that were. Not on two CPUs at a time.
 * Any context. */
unsigned uart_send(const struct uart *uart, const uint8_t *bytes, unsigned count);

/* Take up to count bytes out of its FIFO; how many there were. As uart_send(). */
unsigned uart_receive(struct uart *uart, uint8_t *bytes, unsigned count);

/* One byte, waiting for room, some 100 ms at the most; one that never comes is waited for once.
 * Any context: a panic uses it. */
void uart_write(struct uart *uart, uint8_t byte);

#endif
