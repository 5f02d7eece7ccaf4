/* SPDX-License-Identifier: MIT */
#include "tests/unit/lib/uart/uart_model.h"

#include <string.h>

struct uart_model uart_model;

static struct uart_model *const m = &uart_model;

static bool is_arm(void)
{
	return m->kind == MODEL_PL011 || m->kind == MODEL_SBSA;
}

uint64_t uart_model_byte_ns(void)
{
	uint64_t divisor = is_arm() ? (uint64_t)m->divisor * 64 + m->fraction
	                            : (uint64_t)(m->divisor ? m->divisor : 1) * 64;

	return 10 * 1000000000ULL * 16 * divisor / 64 / m->clock;
}

static uint64_t transmission_ns(void)
{
	return m->takes ? m->takes : uart_model_byte_ns();
}

static void begin_shift(void)
{
	if (m->shifting || !m->waiting)
		return;
	m->shifting = true;
	m->shifted = m->fifo[0];
	memmove(m->fifo, m->fifo + 1, --m->waiting);
	m->shift_end = m->now + transmission_ns();
}

static void arrive(void)
{
	uint8_t byte = m->coming[m->arrived++];

	if (m->in_fifo < m->depth)
		m->received[m->in_fifo++] = byte;
	else
		m->lost++;
	m->next_arrival += uart_model_byte_ns();
}

void uart_model_run(uint64_t ns)
{
	uint64_t end = m->now + ns;

	for (;;) {
		bool sends = m->shifting && !m->stalled, comes = m->arrived < m->nr_coming;
		uint64_t next = end;

		if (sends && m->shift_end < next)
			next = m->shift_end;
		if (comes && m->next_arrival < next)
			next = m->next_arrival;
		m->now = next > m->now ? next : m->now;
		if (sends && m->shift_end <= m->now) {
			m->sent[m->nr_sent++ % MODEL_BYTES] = m->shifted;
			m->transmitting += transmission_ns();
			m->shifting = false;
			begin_shift();
		} else if (comes && m->next_arrival <= m->now) {
			arrive();
		} else {
			break;
		}
	}
	if (m->stalled && m->shifting && m->shift_end < m->now)
		m->shift_end = m->now;
}

void uart_model_send(const void *bytes, unsigned count)
{
	if (m->arrived == m->nr_coming)
		m->next_arrival = m->now + uart_model_byte_ns();
	memcpy(m->coming + m->nr_coming, bytes, count);
	m->nr_coming += count;
}

static void model_put(uint8_t byte)
{
	if (m->waiting == m->depth)
		m->overruns++;
	else
		m->fifo[m->waiting++] = byte;
	begin_shift();
}

static uint32_t model_take(void)
{
	uint32_t byte = m->received[0];

	if (!m->in_fifo)
		return 0;
	memmove(m->received, m->received + 1, --m->in_fifo);
	m->taken++;
	return byte;
}

static bool dlab(void)
{
	return m->line & 0x80;
}

static uint32_t read_iir(void)
{
	if (m->kind == MODEL_8250 || !(m->fcr & 1))
		return 0x01;
	return 0xc1 | (m->depth == 64 ? 0x20 : 0);
}

/* The overrun is reported once. */
static uint32_t read_lsr(void)
{
	uint32_t overrun = m->lost > m->reported ? 0x02 : 0;

	m->reported = m->lost;
	return overrun | (m->in_fifo ? 0x01 : 0) | (m->waiting ? 0 : 0x20) |
	       (m->waiting || m->shifting ? 0 : 0x40);
}

static uint32_t read_16550(unsigned reg)
{
	switch (reg) {
	case 0:
		return dlab() ? m->divisor & 0xff : model_take();
	case 1:
		return dlab() ? m->divisor >> 8 : m->ier;
	case 2:
		return read_iir();
	case 3:
		return m->line;
	case 4:
		return m->mcr;
	case 5:
		return read_lsr();
	case 7:
		return m->scratch;
	default:
		return 0;
	}
}

static void write_fcr(uint32_t value)
{
	m->fcr = value;
	if (m->kind == MODEL_16750 && dlab())
		m->latched = value & 0x20;
	m->depth = m->kind == MODEL_8250 || !(value & 1)  ? 1
	           : m->kind == MODEL_16750 && m->latched ? 64
	                                                  : 16;
}

static void write_16550(unsigned reg, uint32_t value)
{
	switch (reg) {
	case 0:
		if (dlab())
			m->divisor = (m->divisor & 0xff00) | value;
		else
			model_put((uint8_t)value);
		break;
	case 1:
		if (dlab())
			m->divisor = (m->divisor & 0xff) | value << 8;
		else
			m->ier = value;
		break;
	case 2:
		write_fcr(value);
		break;
	case 3:
		if (m->kind != MODEL_DW || (!m->shifting && !m->waiting))
			m->line = value;
		break;
	case 4:
		m->mcr = value;
		break;
	case 7:
		m->scratch = value;
		break;
	default:
		break;
	}
}

static uint32_t model_flags(void)
{
	return (m->shifting || m->waiting ? 1U << 3 : 0) | (m->in_fifo ? 0 : 1U << 4) |
	       (m->waiting == m->depth ? 1U << 5 : 0) | (m->waiting ? 0 : 1U << 7);
}

static uint32_t read_pl011(unsigned reg)
{
	switch (reg << 2) {
	case 0x00:
		return model_take();
	case 0x18:
		return model_flags();
	}
	if (m->kind == MODEL_SBSA) {
		m->strays++;
		return 0;
	}
	switch (reg << 2) {
	case 0x24:
		return m->divisor;
	case 0x28:
		return m->fraction;
	case 0x2c:
		return m->line;
	case 0x30:
		return m->control;
	case 0xfe0:
		return 0x11;
	case 0xfe4:
		return 0x10;
	case 0xfe8:
		return m->revision << 4 | 4;
	default:
		return 0;
	}
}

static void write_pl011(unsigned reg, uint32_t value)
{
	m->strays += m->kind == MODEL_SBSA && reg != 0;
	switch (reg << 2) {
	case 0x00:
		model_put((uint8_t)value);
		break;
	case 0x24:
		m->divisor = value;
		break;
	case 0x28:
		m->fraction = value;
		break;
	case 0x2c:
		m->line = value;
		m->depth = value & 0x10 ? m->revision >= 3 ? 32 : 16 : 1;
		break;
	case 0x30:
		m->control = value;
		break;
	default:
		break;
	}
}

/* Time must pass for code that waits until the line is idle. */
static void model_access_time(void)
{
	m->accesses++;
	if (m->kind == MODEL_DW)
		uart_model_run(1000);
}

static uint32_t model_read(const struct uart *uart, unsigned reg)
{
	(void)uart;
	model_access_time();
	return m->kind == MODEL_NONE ? 0xff : is_arm() ? read_pl011(reg) : read_16550(reg);
}

static void model_write(const struct uart *uart, unsigned reg, uint32_t value)
{
	(void)uart;
	model_access_time();
	if (is_arm())
		write_pl011(reg, value);
	else if (m->kind != MODEL_NONE)
		write_16550(reg, value);
}

static const struct uart_access model_access = { model_read, model_write };

void uart_model_start(enum model_kind kind, struct uart *uart)
{
	struct arch_uart_hint arm = { .interface_type = kind == MODEL_SBSA ? 0x0e : 3,
		                      .address = 0x9000000 };

	memset(m, 0, offsetof(struct uart_model, sent));
	m->nr_sent = m->nr_coming = m->arrived = m->taken = m->in_fifo = m->lost = m->reported = 0;
	m->accesses = m->strays = 0;
	m->kind = kind;
	m->depth = 1;
	m->clock = UART_16550_CLOCK;
	m->divisor = 12; /* 9600 */
	uart_describe_16550(uart, MODEL_PORT, false, 1, 0);
	if (is_arm()) {
		m->clock = 24000000;
		m->divisor = 13; /* 115200 */
		m->fraction = 1;
		m->revision = 3;
		m->line = 0x70;
		m->control = 0x301;
		m->depth = 32;
		uart_describe(uart, &arm);
		uart->clock = kind == MODEL_PL011 ? m->clock : 0;
	}
	uart->access = &model_access;
}
