/* SPDX-License-Identifier: MIT */
#include "channel/lines.h"

#include "abi/clock.h"
#include "arch/arch.h"
#include "channel/channel.h"

#define BITS       10U /* of a byte on the line: start, 8, stop */
#define STILL_NS   (200 * NSEC_PER_MSEC)
#define DRAIN_NS   (5 * NSEC_PER_SEC)
/* How often a FIFO is filled by the clock alone, without being seen empty. Then it must be seen
 * empty, so that a stalled line loses at most these fillings. */
#define TOP_UPS    16U
/* The clock is trusted only after this many FIFOs in a row were empty at the predicted time. */
#define TRUST      4U
#define LOCK_SPINS 1000000U

/* ---- Starting ---- */

uint32_t lines_rate_by_ticks(const struct line_port *port)
{
	uint32_t ticks = port->uart.fifo * (uint32_t)(NSEC_PER_SEC / LINES_TICK_NS);
	uint32_t line = port->uart.baud / BITS;

	return line && line < ticks ? line : ticks;
}

static void lines_port_set_rate(struct line_port *port)
{
	struct uart *uart = &port->uart;

	port->byte_ns = uart->baud ? (uint32_t)(NSEC_PER_SEC * BITS / uart->baud) : 0;
	port->level = 0;
	port->trust = 0;
	port->is_early = false;
	port->line.uart = uart;
	port->line.baud = uart->baud;
	port->line.baud_max = uart_highest_baud(uart);
}

static void lines_port_start(struct lines *lines, struct line_port *port, line_text_fn text,
                             uint64_t text_at)
{
	line_init(&port->line, &lines->region, text, text_at);
	port->line.words = &lines->words;
	port->line.burst = port->uart.fifo;
	port->line.burst_us = 2 * LINES_TICK_NS / 1000; /* a tick may be one interval late */
	lines_port_set_rate(port);
}

void lines_start(struct lines *lines, const struct uart *console, uint64_t (*now)(void),
                 line_text_fn text, uint64_t text_at)
{
	unsigned open = 0;

	for (unsigned i = 0; i < lines->nr_ports; i++) {
		struct uart uart = lines->ports[i].uart;

		if (uart_open(&uart) == 0)
			lines->ports[open++].uart = uart;
	}
	lines->nr_ports = open;
	if (console)
		lines_add(lines, console);
	lines->now = now;
	lines->last = now();
	for (unsigned i = 0; i < lines->nr_ports; i++)
		lines_port_start(lines, &lines->ports[i], text, text_at);
}

/* ---- Pumping ---- */

/* Call when the FIFO was found empty. If it ever empties in under half of the computed time, the
 * line's real rate differs, or it has none: an emulator sends as fast as the host reads. */
static void lines_port_is_empty(struct line_port *port, uint64_t now)
{
	uint64_t least = (uint64_t)port->byte_ns * port->level / 2;

	if (port->level > port->uart.fifo / 2) {
		port->is_early |= now - port->filled_at < least;
		port->trust += port->trust < TRUST;
	}
	port->level = port->top_ups = 0;
	port->filled_at = now;
}

/* Returns how many bytes the transmitter has room for. If the transmitter reports only an empty
 * FIFO, the clock predicts the rest, provided that the clock was right so far and the line carries
 * frames: the host requests lost frames again, but lost text is lost. */
static unsigned lines_port_room(struct line_port *port, uint64_t now)
{
	const struct uart *uart = &port->uart;
	unsigned room = uart->ops->room(uart);
	uint64_t gone;

	if (room || !uart->ops->all_or_none) {
		lines_port_is_empty(port, now);
		return room;
	}
	if (!port->byte_ns)
		return 0;
	gone = (now - port->filled_at) / port->byte_ns;
	if (gone >= port->level + 2)
		port->trust = 0; /* it should be empty: the line stalls */
	if (!gone || gone >= port->level || port->top_ups >= TOP_UPS || port->is_early ||
	    port->trust < TRUST || !port->line.framed)
		return 0;
	port->top_ups++;
	port->level -= (uint32_t)gone;
	port->filled_at += gone * port->byte_ns;
	return uart->fifo - port->level;
}

static bool lines_port_send(struct line_port *port, uint64_t now)
{
	unsigned most = port->uart.fifo < LINES_PUMP_BYTES ? port->uart.fifo : LINES_PUMP_BYTES;
	uint8_t bytes[LINES_PUMP_BYTES];
	unsigned sent = 0, room;

	while (sent < most && (room = lines_port_room(port, now)) != 0) {
		unsigned count =
		    line_send(&port->line, bytes, room < most - sent ? room : most - sent);

		uart_put(&port->uart, bytes, count);
		sent += count;
		port->level += count;
		if (!count || port->uart.ops->all_or_none)
			break;
	}
	return sent;
}

static void lines_baud(struct line_port *port, uint32_t baud, uint32_t divisor)
{
	port->uart.ops->set_divisor(&port->uart, divisor);
	port->uart.baud = baud;
	lines_port_set_rate(port);
}

/* Restores the port's initial rate, at which a terminal reads the text that follows. */
static void lines_port_goes_back(struct line_port *port)
{
	lines_baud(port, port->baud_began, port->divisor_began);
	port->has_other_baud = false;
	port->baud_state = BAUD_STAYS;
}

static void lines_port_tries_baud(struct line_port *port)
{
	if (!port->has_other_baud) {
		port->baud_began = port->uart.baud;
		port->divisor_began = port->uart.ops->get_divisor(&port->uart);
	}
	lines_baud(port, port->baud_next, uart_divisor(&port->uart, port->baud_next));
	port->has_other_baud = true;
	port->baud_since = port->line.now;
	port->baud_host = port->line.host;
	port->baud_state = BAUD_IS_TRIED;
}

/* Starts the new rate after the answer's last bit. Ends it if no frame arrives at it, or if the
 * host has gone. The line sends nothing while a rate change is pending. */
static bool lines_port_changes_baud(struct line_port *port)
{
	struct line *line = &port->line;

	if (port->baud_state == BAUD_STAYS) {
		port->baud_next = line_take_baud(line);
		if (port->baud_next)
			port->baud_state = BAUD_DRAINS;
		else if (!line->framed && port->has_other_baud)
			port->baud_state = BAUD_ENDS;
	}
	if (port->baud_state == BAUD_DRAINS && port->uart.ops->idle(&port->uart))
		lines_port_tries_baud(port);
	if (port->baud_state == BAUD_ENDS && port->uart.ops->idle(&port->uart))
		lines_port_goes_back(port);
	if (port->baud_state == BAUD_IS_TRIED) {
		if (line->host != port->baud_host)
			port->baud_state = BAUD_STAYS;
		else if (line->now - port->baud_since >= WIRE_BAUD_MS * NSEC_PER_MSEC)
			lines_port_goes_back(port);
	}
	return port->baud_state == BAUD_DRAINS || port->baud_state == BAUD_ENDS;
}

static bool lines_port_is_idle(const struct line_port *port)
{
	return !port->line.framed && port->baud_state == BAUD_STAYS && !port->has_other_baud &&
	       line_is_quiet(&port->line);
}

/* Reports whether any byte moved. */
static bool lines_port_pump(struct line_port *port, uint64_t now, uint64_t passed)
{
	uint8_t bytes[LINES_PUMP_BYTES];
	unsigned came;

	line_pass(&port->line, passed);
	came = uart_receive(&port->uart, bytes, LINES_PUMP_BYTES);
	port->line.overruns = port->uart.overruns;
	if (!came && lines_port_is_idle(port))
		return false;
	line_receive(&port->line, bytes, came);
	if (lines_port_changes_baud(port))
		return came;
	return lines_port_send(port, now) || came;
}

/* For `dump`. */
static void lines_tell_faults(struct lines *lines)
{
	uint64_t faults = 0;

	for (unsigned i = 0; i < lines->nr_ports; i++)
		faults += lines->ports[i].line.faults;
	if (faults == lines->faults || !lines->region.memory)
		return;
	lines->faults = faults;
	__atomic_store_n(&((struct tr_header *)(void *)lines->region.memory)->line_faults, faults,
	                 __ATOMIC_RELAXED);
}

/* Reports whether a host uses the line or a user types. */
static bool lines_were_heard(const struct lines *lines)
{
	for (unsigned i = 0; i < lines->nr_ports; i++) {
		const struct line *line = &lines->ports[i].line;

		if (line->framed || (line->heard && line->now - line->heard < NSEC_PER_SEC))
			return true;
	}
	return false;
}

static bool lines_pump_all(struct lines *lines)
{
	uint64_t now = lines->now(), passed = now > lines->last ? now - lines->last : 0;
	bool moved = false;

	lines->last = now;
	for (unsigned i = 0; i < lines->nr_ports; i++)
		moved |= lines_port_pump(&lines->ports[i], now, passed);
	lines->in_use = moved || lines_were_heard(lines);
	lines_tell_faults(lines);
	return moved;
}

/* Reports whether this CPU got the pump. */
static bool lines_try(struct lines *lines, bool *moved)
{
	if (!lines->nr_ports || arch_exchange(&lines->pumping, 1) != 0)
		return false;
	__atomic_store_n(&lines->pumper, arch_cpu(), __ATOMIC_RELAXED);
	*moved = lines_pump_all(lines);
	__atomic_store_n(&lines->pumping, 0, __ATOMIC_RELEASE);
	return true;
}

void lines_pump(struct lines *lines)
{
	bool moved;

	lines_try(lines, &moved);
}

/* If CPUs count at the same time, at most one tick is lost. */
void lines_tick(struct lines *lines)
{
	if (!lines->in_use && ++lines->idle_ticks < LINES_IDLE_TICKS)
		return;
	lines->idle_ticks = 0;
	lines_pump(lines);
}

/* ---- Functions for other files ---- */

void lines_forget_rings(struct lines *lines)
{
	__atomic_store_n(&lines->region.nr_rings, 0, __ATOMIC_RELEASE);
}

void lines_add_ring(struct lines *lines, uint64_t control)
{
	uint32_t rings = lines->region.nr_rings;

	lines->region.controls[rings] = control;
	__atomic_store_n(&lines->region.nr_rings, rings + 1, __ATOMIC_RELEASE);
}

bool lines_have_host(const struct lines *lines)
{
	for (unsigned i = 0; i < lines->nr_ports; i++) {
		if (__atomic_load_n(&lines->ports[i].line.framed, __ATOMIC_RELAXED))
			return true;
	}
	return false;
}

bool lines_may_rest(const struct lines *lines)
{
	bool may = !lines_have_host(lines);

	for (unsigned i = 0; i < lines->nr_ports; i++)
		may &= uart_holds(&lines->ports[i].uart, LINES_TICK_NS);
	return may;
}

bool lines_have_typed(const struct lines *lines, const char *text)
{
	for (unsigned i = 0; i < lines->nr_ports; i++) {
		if (line_has_typed(&lines->ports[i].line, text))
			return true;
	}
	return false;
}

bool lines_take_typed(struct lines *lines, char *text)
{
	for (unsigned i = 0; i < lines->nr_ports; i++) {
		if (line_take_typed(&lines->ports[i].line, text))
			return true;
	}
	return false;
}

static bool lines_are_quiet(const struct lines *lines)
{
	for (unsigned i = 0; i < lines->nr_ports; i++) {
		const struct line_port *port = &lines->ports[i];

		if (!line_is_quiet(&port->line) || !port->uart.ops->idle(&port->uart))
			return false;
	}
	return true;
}

void lines_drain(struct lines *lines)
{
	uint64_t began, moving;

	if (!lines->nr_ports)
		return;
	began = moving = lines->now();
	while (!lines_are_quiet(lines)) {
		uint64_t now = lines->now();
		bool moved = false;

		lines_try(lines, &moved);
		moving = moved ? now : moving;
		if (now - moving > STILL_NS || now - began > DRAIN_NS)
			break;
		arch_relax();
	}
}

/* The holder of the pump may be the code that this CPU's panic interrupted. */
static void lines_seize(struct lines *lines)
{
	for (unsigned i = 0; i < LOCK_SPINS; i++) {
		if (arch_exchange(&lines->pumping, 1) == 0)
			return;
		if (__atomic_load_n(&lines->pumper, __ATOMIC_RELAXED) == arch_cpu())
			break;
		arch_relax();
	}
	for (unsigned i = 0; i < lines->nr_ports; i++)
		line_break(&lines->ports[i].line);
}

/* The last resort: sends text by the simplest way. */
static void lines_print_rest(struct lines *lines)
{
	for (unsigned i = 0; i < lines->nr_ports; i++) {
		struct line_port *port = &lines->ports[i];
		char byte;

		while (port->line.text(&port->line.text_at, &byte, 1)) {
			if (byte == '\n')
				uart_write(&port->uart, '\r');
			uart_write(&port->uart, (uint8_t)byte);
		}
	}
}

void lines_panic(struct lines *lines)
{
	if (lines->panics) {
		lines_print_rest(lines);
		return;
	}
	lines->panics = true;
	if (!lines->nr_ports)
		return;
	lines_seize(lines);
	for (;; arch_relax())
		lines_pump_all(lines);
}
