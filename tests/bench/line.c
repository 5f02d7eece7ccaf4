/* SPDX-License-Identifier: MIT */
/*
 * A serial line at 115,200 baud that a tick pumps each millisecond, on models of UARTs that have
 * their own clock. Measured: the share of the time in which the line sends, and the share of its
 * bytes that are the requested data. The data are noise, which no encoding shortens; the host keeps
 * sending HELLO.
 */
#include "bench.h"
#include "tests/unit/channel/line_rig.h"
#include "tests/unit/lib/uart/uart_model.h"

#define MSEC    1000000ULL
#define SECONDS 20U
#define ALIVE   800U /* ms between two HELLOs */

static struct lines lines;

static uint64_t model_now(void)
{
	return uart_model.now;
}

static unsigned no_text(uint64_t *at, char *to, unsigned size)
{
	(void)at, (void)to, (void)size;
	return 0;
}

static void tick(unsigned ms)
{
	while (ms--) {
		uart_model_run(MSEC);
		lines_pump(&lines);
	}
}

/* In each tick the host sends a burst that fits the FIFO. */
static void host_sends(uint8_t *body, size_t size)
{
	uint8_t frame[WIRE_FRAME_MAX];
	unsigned length = host_frame(frame, body, size), burst = lines.ports[0].uart.fifo;

	for (unsigned at = 0; at < length; at += burst) {
		uart_model_send(frame + at, length - at < burst ? length - at : burst);
		tick(2);
	}
}

static void say_hello(void)
{
	struct wire_hello hello = { .version = WIRE_VERSION, .nonce = 1 };
	uint8_t body[WIRE_BODY_MAX];

	host_sends(body, wire_put_hello(body, &hello));
}

static void start(enum model_kind kind)
{
	static struct uart uart;

	rig_start();
	uart_model_start(kind, &uart);
	if (kind != MODEL_PL011) {
		uart_model.line = 3;
		uart_model.divisor = 1;
	}
	uart_open(&uart);
	lines = (struct lines){ .region = rig_region };
	lines_start(&lines, &uart, model_now, no_text, 0);
	for (unsigned i = 0; i < RIG_SIZE; i++)
		rig_memory[i] = (uint8_t)rand();
	say_hello();
	for (uint16_t i = 0; i < WIRE_GETS; i++) {
		struct wire_get get = { .tag = i, .size = WIRE_GET_MAX };
		uint8_t body[WIRE_BODY_MAX];

		host_sends(body, wire_put_get(body, &get, WIRE_ENCODED));
	}
}

/* Bytes of content that were sent from this position on. */
static unsigned content_of(unsigned from)
{
	static struct wire_receiver receiver;
	unsigned content = 0;

	for (unsigned i = from; i < uart_model.nr_sent; i++) {
		int size = wire_receive(&receiver, uart_model.sent[i]);

		if (size > 0 && receiver.body[0] == WIRE_DATA)
			content += (unsigned)size - WIRE_DATA_HEAD;
	}
	return content;
}

static void measure(enum model_kind kind, const char *name)
{
	uint64_t began, busy;
	unsigned from, sent, content;
	char figure[64];

	start(kind);
	began = uart_model.now;
	busy = uart_model.transmitting;
	from = uart_model.nr_sent;
	for (unsigned ms = 0; ms < SECONDS * 1000; ms += ALIVE) {
		say_hello();
		tick(ALIVE);
	}
	sent = uart_model.nr_sent - from;
	content = content_of(from);
	printf("# %s: %u bytes in %.1f s, %u of them content\n", name, sent,
	       (double)(uart_model.now - began) / 1e9, content);
	snprintf(figure, sizeof(figure), "line-%s-busy", name);
	bench_figure(figure,
	             100 * (double)(uart_model.transmitting - busy) /
	                 (double)(uart_model.now - began),
	             "%-of-its-time", 95, true);
	snprintf(figure, sizeof(figure), "line-%s-content", name);
	bench_figure(figure, 100.0 * content / sent, "%-of-its-bytes", 95, true);
}

int main(void)
{
	measure(MODEL_16550A, "fifo-16");
	measure(MODEL_16750, "fifo-64");
	measure(MODEL_PL011, "pl011");
	return 0;
}
