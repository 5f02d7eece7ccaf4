/* SPDX-License-Identifier: MIT */
/* The text between frames: the UEFI firmware's, or bareperf's before HELLO. A frame's second byte
 * is its type, which no text contains, so a piece's first bytes show whether it is text. */
#include <string.h>

#include "host-tools/region/serial/wire_host.h"

#define QUIET_US 100000 /* after this long, text without a line end is passed on */

static bool is_text(uint8_t byte)
{
	return (byte >= 0x20 && byte != 0x7f) || (byte >= '\a' && byte <= '\r') || byte == 0x1b;
}

static void pass_on(struct wire_host *host)
{
	host->counts.text += host->piece_size;
	if (host->piece_size && host->text)
		host->text(host->of, host->piece, host->piece_size);
	host->piece_size = 0;
}

void wire_host_text_byte(struct wire_host *host, uint8_t byte, int64_t now)
{
	if (!host->is_inside) {
		host->is_inside = true;
		host->piece_is_text = true;
	}
	if (!is_text(byte)) {
		host->piece_is_text = false;
		host->piece_size = 0;
	}
	if (!host->piece_is_text) {
		/* In text mode no 0x00 ends a piece that is not text; a line end does. */
		if (byte == '\n' && host->last_byte == '\r' && host->state != WIRE_HOST_FRAMED)
			host->is_inside = false;
		host->last_byte = byte;
		return;
	}
	host->last_byte = byte;
	host->piece[host->piece_size++] = (char)byte;
	host->piece_us = now;
	if (byte == '\n' || host->piece_size == sizeof(host->piece))
		pass_on(host);
}

void wire_host_text_end(struct wire_host *host, bool was_frame)
{
	if (!was_frame && host->is_inside && host->piece_is_text)
		pass_on(host);
	else if (!was_frame && host->is_inside)
		host->counts.damaged++;
	host->piece_size = 0;
	host->is_inside = false;
}

void wire_host_text_pass(struct wire_host *host, int64_t now)
{
	if (host->piece_size && host->piece_is_text && now - host->piece_us > QUIET_US)
		pass_on(host);
}
