/* SPDX-License-Identifier: MIT */
/*
 * All serial lines of the machine: the console's UART and those on PCI cards. Each is a way to the
 * trace region, wherever that lies, and a console.
 *
 * The holder of the pump moves the bytes, one CPU at a time: a traced CPU's tick, a CPU that waits
 * for commands or readers, or the CPU that reports a panic. One call moves at most a UART's FIFO.
 */
#ifndef CHANNEL_LINES_H
#define CHANNEL_LINES_H

#include "channel/line.h"
#include "lib/uart/uart.h"

#define LINES_MAX        4U
#define LINES_TICK_NS    1000000U /* a tick comes as often */
#define LINES_PUMP_BYTES 64U      /* that a call moves on a line at most, each way */
#define LINES_IDLE_TICKS 16U      /* of these one looks, where nobody was heard for a second */

struct channel_services;

struct line_port {
	struct uart uart;
	void *card; /* PCI function that it is on; NULL: it is on none */
	struct line line;
	/* For a transmitter that reports only an empty FIFO */
	uint64_t filled_at; /* ns: then level bytes were in it, at the most */
	uint32_t level, byte_ns, top_ups;
	uint32_t trust; /* times in a row that it was empty when the clock said so */
	bool is_early;  /* it was so before */
	/* BAUD: behind the answer's last bit; then until a frame comes, or a second has passed; its
	 * end, behind the last frame's last bit */
	enum { BAUD_STAYS, BAUD_DRAINS, BAUD_IS_TRIED, BAUD_ENDS } baud_state;
	uint32_t baud_next, baud_began, divisor_began;
	bool has_other_baud;            /* than it began with */
	uint64_t baud_since, baud_host; /* line.now; line.host at that time */
};

struct lines {
	unsigned nr_ports;
	struct line_port ports[LINES_MAX];
	struct line_region region;
	struct wire_words words; /* of the pump's holder */
	uint64_t (*now)(void);   /* ns */
	uint64_t last;           /* when somebody pumped */
	uint64_t faults;         /* that the region was told of */
	uint32_t idle_ticks;     /* that passed since a line which nobody uses was looked at */
	bool in_use;
	uint32_t pumping; /* 1: somebody is at it */
	uint32_t pumper;  /* that CPU */
	bool panics;
};

/* Find serial cards on PCI and have their registers mapped. With the firmware's services. Thread.
 */
void lines_find(struct lines *lines, const struct channel_services *services);

/* One more, but that it is there already or there are LINES_MAX. The same context. */
void lines_add(struct lines *lines, const struct uart *uart);

/* Of these only such as claim() lets us have; and let go of them. With the firmware's services,
 * that go on. Thread. */
void lines_claim(struct lines *lines, bool (*claim)(void *card));
void lines_release(struct lines *lines, void (*release)(void *card));

/* Open what was found, and console, an open UART that is the lines' from now on (NULL: there is
 * none). now: ns of a clock that goes on; text, text_at: the console's. region is the caller's to
 * fill, before. Thread, once, after arch_take_over(). */
void lines_start(struct lines *lines, const struct uart *console, uint64_t (*now)(void),
                 line_text_fn text, uint64_t text_at);

/* Bytes a second that this line reaches, each way, where only ticks pump: a FIFO a tick at the
 * most, which is what is said where its rate is unknown. */
uint32_t lines_rate_by_ticks(const struct line_port *port);

/* Move what can be moved without waiting, if nobody else is at it. Any context. */
void lines_pump(struct lines *lines);

/* The same in a traced CPU's tick, which costs next to nothing where nobody is at the other end:
 * what is sent to such a line may overrun its FIFO. A HELLO is repeated. IRQ, NMI. */
void lines_tick(struct lines *lines);

/* The rings of the run to come: none, and one more. Thread, while nobody else pumps. */
void lines_forget_rings(struct lines *lines);
void lines_add_ring(struct lines *lines, uint64_t control);

/* Is a host at one of them? Any context. */
bool lines_have_host(const struct lines *lines);

/* May a CPU that does nothing but pump halt between ticks? No host is at any of them, and no more
 * comes in a tick than a FIFO holds, at 115200 baud where the rate is unknown. Any context. */
bool lines_may_rest(const struct lines *lines);

/* line.h's, of any of them. */
bool lines_have_typed(const struct lines *lines, const char *text);
bool lines_take_typed(struct lines *lines, char *text);
void lines_listen(struct lines *lines, bool listens);
bool lines_are_pressed(const struct lines *lines);

/* Pump until all is out that is to go out by itself, and has left the UARTs; a line that stands
 * still for 200 ms, as whose other end wants nothing, is not waited for. Thread. */
void lines_drain(struct lines *lines);

/* This CPU reports a panic and has nothing else to do: pump for ever. The old holder of the
 * pump, maybe this CPU, counts as dead after a second. A second call means that the pump itself has
 * failed: no more frames, the remaining text goes out, and it returns. Any context. */
void lines_panic(struct lines *lines);

#endif
