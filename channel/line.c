/* SPDX-License-Identifier: MIT */
#include "channel/line.h"

#include "abi/clock.h"

/* A frame's bytes arrive without pauses. If a pause follows a 0x00, the 0x00 was a BREAK or noise,
 * and text follows. */
#define FRAME_PAUSE_NS (100 * NSEC_PER_MSEC)

void line_init(struct line *line, const struct line_region *region, line_text_fn text,
               uint64_t text_at)
{
	/* volatile, or gcc replaces the loop by a call of memset() */
	volatile uint8_t *byte = (volatile uint8_t *)line;

	for (size_t i = 0; i < sizeof(*line); i++)
		byte[i] = 0;
	line->region = region;
	line->text = text;
	line->text_at = text_at;
	line->burst = WIRE_BURST;
	line->burst_us = WIRE_BURST_US;
}

static void line_forget_piece(struct line *line)
{
	line->inside = false;
	line->receiver.state = WIRE_OUTSIDE;
	wire_receive(&line->receiver, 0);
}

/* Text continues with later output only: the host has read earlier text from the region. */
static void line_become_text(struct line *line)
{
	line->framed = false;
	line->out_size = line->out_sent = 0;
	line->nr_gets = 0;
	line->unanswered = 0;
	line->has_hello = line->has_baud = false;
	line->baud_wanted = 0;
	line_forget_piece(line);
	line->text(&line->text_at, NULL, 0);
}

void line_pass(struct line *line, uint64_t ns)
{
	line->now += ns < LINE_LOOK_NS ? ns : LINE_LOOK_NS;
	if (!line->framed) {
		if (line->inside && line->now - line->heard > FRAME_PAUSE_NS)
			line_forget_piece(line);
		line_look_for_key(line);
		return;
	}
	if (line->now - line->host >= WIRE_SILENCE_MS * NSEC_PER_MSEC)
		line_become_text(line);
	else
		line_watch(line);
}

/* Reports whether the byte ends a frame. */
static bool line_take(struct line *line, uint8_t byte)
{
	int size = wire_receive(&line->receiver, byte);

	if (size > 0)
		line_request(line, line->receiver.body, (unsigned)size);
	else if (size == WIRE_NO_FRAME)
		line->damaged++;
	if (size > 0 && line->receiver.body[0] == WIRE_BYE && line->framed)
		line_become_text(line);
	return size > 0;
}

/* For a line in text mode: bytes between two 0x00 may be a frame; all other bytes were typed. A
 * 0x00 that ends a piece which is not a frame may start a frame. */
static void line_tell_apart(struct line *line, uint8_t byte)
{
	if (byte && !line->inside) {
		line_type(line, byte);
		return;
	}
	line->inside = !line_take(line, byte);
}

void line_receive(struct line *line, const uint8_t *bytes, unsigned count)
{
	if (count)
		line->heard = line->now;
	for (unsigned i = 0; i < count; i++) {
		if (line->framed)
			line_take(line, bytes[i]);
		else
			line_tell_apart(line, bytes[i]);
	}
}

unsigned line_send(struct line *line, uint8_t *bytes, unsigned size)
{
	unsigned sent = 0;

	while (sent < size) {
		if (line->out_sent < line->out_size)
			bytes[sent++] = line->out[line->out_sent++];
		else if (!line->baud_wanted && line_answer(line))
			line->out_sent = 0;
		else
			break;
	}
	if (!line->framed && line->out_sent == line->out_size)
		sent += line_send_text(line, bytes + sent, size - sent);
	return sent;
}

bool line_is_quiet(const struct line *line)
{
	uint64_t at = line->text_at;

	if (line->out_sent < line->out_size)
		return false;
	if (line->framed)
		return !line->nr_gets && !line->unanswered && !line->has_hello && !line->status_due;
	return line->echo_head == line->echo_tail && !line->text(&at, &(char){ 0 }, 1);
}

uint32_t line_take_baud(struct line *line)
{
	uint32_t baud = line->baud_wanted;

	if (line->out_sent < line->out_size || line->has_baud)
		return 0;
	line->baud_wanted = 0;
	return baud;
}

void line_break(struct line *line)
{
	line->out_size = line->out_sent = 0;
	line_forget_piece(line);
}
