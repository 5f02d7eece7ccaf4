/* SPDX-License-Identifier: MIT */
#include "host-tools/region/serial/wire_host.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* after this much silence of the host, a HELLO shows that it is present */
#define ALIVE_US    800000
#define BAUD_US     300000 /* between two BAUDs */
#define LOOK_US     20000  /* between two checks of the clock */
#define PATIENCE_US 150000 /* time for an answer, in addition to its bytes' time on the line */

int wire_host_fail(struct wire_host *host, int code, const char *format, ...)
{
	va_list arguments;

	if (host->state == WIRE_HOST_FAILED)
		return host->code;
	va_start(arguments, format);
	vsnprintf(host->error.text, sizeof(host->error.text), format, arguments);
	va_end(arguments);
	host->state = WIRE_HOST_FAILED;
	host->code = code;
	return code;
}

int64_t wire_host_patience(const struct wire_host *host)
{
	uint32_t baud = host->baud ? host->baud : host->welcome.baud;

	/* Four frames: one that is under way, the request, the frame before the answer, the answer.
	 */
	return PATIENCE_US + (baud ? 4 * (int64_t)WIRE_FRAME_MAX * 10 * 1000000 / baud : 0);
}

/* Seven letters and a 0x00: every line carries these, and COBS encodes them to bytes that every
 * line carries. */
static uint64_t letters_of(uint64_t any)
{
	uint64_t nonce = 0;

	for (unsigned i = 0; i < 7; i++, any /= 26)
		nonce |= ('A' + any % 26) << 8 * i;
	return nonce;
}

void wire_host_init(struct wire_host *host, uint64_t nonce, uint32_t baud)
{
	*host = (struct wire_host){ .nonce = letters_of(nonce), .baud = baud };
}

void wire_host_free(struct wire_host *host)
{
	free(host->left);
	free(host->again);
	free(host->stores);
	host->left = NULL;
	host->again = NULL;
	host->stores = NULL;
}

void wire_host_begin(struct wire_host *host, int64_t now)
{
	if (host->state == WIRE_HOST_FAILED)
		return;
	host->state = WIRE_HOST_SEEKING;
	host->hellos = 0;
	host->hello_us = now - WIRE_HOST_SILENCE_US;
	host->heard_us = now;
	host->out_size = host->out_at = 0;
	memset(&host->receiver, 0, sizeof(host->receiver));
	host->piece_size = 0;
}

/* ---- Receiving ---- */

/* Frames before this one are missing. An answer may be among them, so the wait for answers is cut
 * to the time that they need to arrive. */
static void follow(struct wire_host *host, const struct wire_head *head, int64_t now)
{
	uint16_t gap = (uint16_t)(head->sequence - host->sequence_in);
	int64_t soon = now - host->patience_us + LOOK_US;

	if (!host->has_sequence || head->type == WIRE_HELLO)
		gap = 0;
	if (gap >= 0x8000)
		return; /* a frame that was repeated or late */
	host->has_sequence = true;
	host->sequence_in = (uint16_t)(head->sequence + 1);
	host->counts.gaps += gap;
	if (gap && host->progress_us > soon)
		host->progress_us = soon;
}

static void take_status(struct wire_host *host, const uint8_t *body, size_t size)
{
	struct wire_status status;
	uint64_t rings[WIRE_RINGS_WORDS];

	if (!wire_get_status(body, size, &status))
		return;
	memcpy(rings, host->status.rings, sizeof(rings));
	host->status = status;
	for (unsigned i = 0; i < WIRE_RINGS_WORDS; i++)
		host->status.rings[i] |= rings[i];
	host->counts.status++;
}

static void take_baud(struct wire_host *host, const uint8_t *body, size_t size)
{
	struct wire_baud baud;

	if (!host->baud_wanted || !wire_get_baud(body, size, &baud))
		return;
	host->baud_wanted = 0;
	host->baud_answer = baud.baud;
	host->has_baud_answer = true;
}

static void take_body(struct wire_host *host, const uint8_t *body, size_t size, int64_t now)
{
	struct wire_head head;
	struct wire_welcome welcome;
	struct wire_done done;

	if (!wire_get_head(body, size, &head))
		return;
	host->counts.frames++;
	host->heard_us = now;
	follow(host, &head, now);
	if (head.type == WIRE_HELLO && wire_get_welcome(body, size, &welcome))
		wire_host_welcomed(host, &welcome, now);
	if (host->state != WIRE_HOST_FRAMED)
		return;
	if (head.type == WIRE_DATA)
		wire_host_data(host, body, size, head.flags, now);
	else if (head.type == WIRE_DONE && wire_get_done(body, size, &done))
		wire_host_done(host, &done, now);
	else if (head.type == WIRE_STATUS)
		take_status(host, body, size);
	else if (head.type == WIRE_BAUD)
		take_baud(host, body, size);
}

void wire_host_take(struct wire_host *host, const uint8_t *bytes, size_t size, int64_t now)
{
	host->counts.bytes_in += size;
	for (size_t i = 0; i < size; i++) {
		int length = wire_receive(&host->receiver, bytes[i]);

		if (bytes[i])
			wire_host_text_byte(host, bytes[i], now);
		else
			wire_host_text_end(host, length > 0);
		if (length > 0)
			take_body(host, host->receiver.body, (size_t)length, now);
	}
}

/* ---- Sending ---- */

static size_t next_baud(struct wire_host *host, uint8_t *body, int64_t now)
{
	const struct wire_baud baud = { host->baud_wanted };

	if (!host->baud_wanted || now - host->baud_us < BAUD_US)
		return 0;
	host->baud_us = now;
	return wire_put_baud(body, &baud);
}

static size_t next_body(struct wire_host *host, uint8_t *body, int64_t now)
{
	size_t size;

	if (host->state == WIRE_HOST_FAILED || host->is_bye)
		return 0;
	size = wire_host_hello(host, body, now);
	if (!size && host->state == WIRE_HOST_FRAMED) {
		size = next_baud(host, body, now);
		size = size ? size : wire_host_next_store(host, body, now);
		size = size ? size : wire_host_next_get(host, body, now);
	}
	return size;
}

static void frame(struct wire_host *host, uint8_t *body, size_t size)
{
	wire_put_sequence(body, host->sequence_out++);
	host->out_size = wire_frame(host->out, body, size);
	host->out_at = 0;
}

void wire_host_bye(struct wire_host *host)
{
	uint8_t body[WIRE_BODY_MAX];

	if (host->state == WIRE_HOST_FAILED || !host->has_welcome)
		return;
	frame(host, body, wire_put_bye(body));
	host->is_bye = true;
}

static uint32_t burst_of(const struct wire_host *host, int64_t *us)
{
	*us = host->has_welcome && host->welcome.burst ? host->welcome.burst_us : WIRE_BURST_US;
	return host->has_welcome && host->welcome.burst ? host->welcome.burst : WIRE_BURST;
}

size_t wire_host_give(struct wire_host *host, const uint8_t **bytes, int64_t now)
{
	uint8_t body[WIRE_BODY_MAX];
	size_t size = host->out_size - host->out_at;
	uint32_t burst;
	int64_t us;

	if (!size) {
		size = next_body(host, body, now);
		if (!size)
			return 0;
		frame(host, body, size);
		size = host->out_size;
	}
	burst = burst_of(host, &us);
	if (now - host->burst_us >= us) {
		host->burst_us = now;
		host->burst_left = burst;
	}
	*bytes = host->out + host->out_at;
	return size < host->burst_left ? size : host->burst_left;
}

void wire_host_gave(struct wire_host *host, size_t size, int64_t now)
{
	host->out_at += size;
	host->burst_left -= (uint32_t)size;
	host->counts.bytes_out += size;
	host->said_us = now;
}

/* ---- Time ---- */

bool wire_host_is_due(const struct wire_host *host, int64_t now)
{
	return host->state == WIRE_HOST_FRAMED && now - host->said_us >= ALIVE_US;
}

int64_t wire_host_unanswered(const struct wire_host *host, int64_t now)
{
	return host->pieces_left || host->clears_left ? now - host->waits_us : 0;
}

int64_t wire_host_pass(struct wire_host *host, int64_t now)
{
	int64_t us;

	wire_host_text_pass(host, now);
	if (host->state == WIRE_HOST_FRAMED && now - host->heard_us > WIRE_HOST_SILENCE_US) {
		host->state = WIRE_HOST_SEEKING;
		host->hellos = 0;
	}
	if (host->state == WIRE_HOST_FRAMED) {
		wire_host_gets_pass(host, now);
		wire_host_stores_pass(host, now);
	}
	burst_of(host, &us);
	if (host->out_at < host->out_size && !host->burst_left)
		return host->burst_us + us > now ? host->burst_us + us - now : 0;
	return LOOK_US;
}
