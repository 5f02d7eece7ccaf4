/* SPDX-License-Identifier: MIT */
/*
 * All serial lines of the machine: the console's UART and UARTs on PCI cards. A host on any line
 * can reach the trace region, in whatever memory the region lies. Each line is also a console.
 *
 * One CPU at a time holds the pump and moves the bytes: a traced CPU in its tick, a CPU that waits
 * for commands or readers, or the CPU that reports a panic. One call moves at most one UART FIFO.
 */
#ifndef CHANNEL_LINES_H
#define CHANNEL_LINES_H

#include "channel/line.h"
#include "lib/uart/uart.h"

#define LINES_MAX        4U
#define LINES_TICK_NS    1000000U /* interval of ticks */
#define LINES_PUMP_BYTES 64U      /* limit of one call, for each line and direction */
/* on lines unused for a second, only one tick in this many polls */
#define LINES_IDLE_TICKS 16U

struct channel_services;

struct line_port {
	struct uart uart;
	void *card; /* the line's PCI function; NULL: none */
	struct line line;
	/* For a transmitter that reports only an empty FIFO. */
	uint64_t filled_at; /* ns: the time when the FIFO held at most level bytes */
	uint32_t level, byte_ns, top_ups;
	uint32_t trust; /* times in a row that the FIFO was empty when the clock predicted it */
	bool is_early;  /* the FIFO was empty before the predicted time */
	/* State of BAUD: the answer's last bit must leave; then the new rate is on trial until a
	 * frame arrives, or for a second; or the connection ends, and the last frame's last bit
	 * must leave. */
	enum { BAUD_STAYS, BAUD_DRAINS, BAUD_IS_TRIED, BAUD_ENDS } baud_state;
	uint32_t baud_next, baud_began, divisor_began;
	bool has_other_baud;            /* the rate differs from the initial rate */
	uint64_t baud_since, baud_host; /* line.now; line.host at that time */
};

struct lines {
	unsigned nr_ports;
	struct line_port ports[LINES_MAX];
	struct line_region region;
	struct wire_words words; /* used by the CPU that pumps */
	uint64_t (*now)(void);   /* ns */
	uint64_t last;           /* when the lines were last pumped */
	uint64_t faults;         /* the fault count that the region shows */
	uint32_t idle_ticks;     /* ticks since the unused lines were last polled */
	bool in_use;
	uint32_t pumping; /* 1: a CPU holds the pump */
	uint32_t pumper;  /* the CPU that holds or last held the pump */
	bool panics;
};

/* Finds serial cards on PCI and requests that their registers are mapped. Needs the firmware's
 * services. Thread. */
void lines_find(struct lines *lines, const struct channel_services *services);

/* Adds one port, unless it is known already or LINES_MAX ports exist. The same context. */
void lines_add(struct lines *lines, const struct uart *uart);

/* The first keeps only the ports for which claim() succeeds; the second releases them. Both need
 * the firmware's services, which continue to run. Thread. */
void lines_claim(struct lines *lines, bool (*claim)(void *card));
void lines_release(struct lines *lines, void (*release)(void *card));

/* Opens the ports that were found, and console, an open UART that the lines then own (NULL: none).
 * now: a monotonic clock, ns. text, text_at: the console's text and position. The caller fills in
 * region before the call. Thread, once, after arch_take_over(). */
void lines_start(struct lines *lines, const struct uart *console, uint64_t (*now)(void),
                 line_text_fn text, uint64_t text_at);

/* Returns the bytes per second that this line carries in each direction if only ticks pump it: at
 * most one FIFO per tick. That maximum is also the result if the line's rate is unknown. */
uint32_t lines_rate_by_ticks(const struct line_port *port);

/* Moves as many bytes as possible without waiting, unless another CPU holds the pump. Any context.
 */
void lines_pump(struct lines *lines);

/* The same in a traced CPU's tick, at almost no cost if no host uses the lines. Because of that,
 * input from a new host may overrun the FIFO; the host repeats its HELLO. IRQ, NMI. */
void lines_tick(struct lines *lines);

/* Prepare the next run's rings: the first removes all rings, the second adds one. Thread, while no
 * other CPU pumps. */
void lines_forget_rings(struct lines *lines);
void lines_add_ring(struct lines *lines, uint64_t control);

/* Reports whether a host uses any line. Any context. */
bool lines_have_host(const struct lines *lines);

/* Reports whether a CPU that only pumps may halt between ticks: no host uses a line, and a tick
 * brings no more input than a FIFO holds (assuming 115200 baud if the rate is unknown). Any
 * context. */
bool lines_may_rest(const struct lines *lines);

/* Like line.h's functions, for any of the lines. */
bool lines_have_typed(const struct lines *lines, const char *text);
bool lines_take_typed(struct lines *lines, char *text);
void lines_listen(struct lines *lines, bool listens);
bool lines_are_pressed(const struct lines *lines);

/* Pumps until all pending output has left the UARTs. Gives up when no line has moved a byte for 200
 * ms, as happens when the other end does not read. Thread. */
void lines_drain(struct lines *lines);

/* For a CPU that reports a panic and has no other work: pumps for ever. If the pump is held, maybe
 * by the code that this CPU's panic interrupted, takes it over after a second. A second call means
 * that the pump itself has failed: then the function sends only the remaining text, without frames,
 * and returns. Any context. */
void lines_panic(struct lines *lines);

#endif
