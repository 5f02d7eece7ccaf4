/* SPDX-License-Identifier: MIT */
/* Finds the machine, checks that the line carries every byte value, and detects another machine or
 * a reset. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "host-tools/region/serial/wire_host.h"

#define HELLO_US    400000 /* least time between two HELLOs */
#define PATIENT     4U     /* HELLOs with all bytes before a HELLO without bytes */
/* followed by a 0x00: COBS encodes their number as 7, which is not XON */
#define PROBE_BYTES 6U
#define GROUP_TRIES 5U /* attempts with several bytes at a time */
/* attempts: a line that loses every second frame does not count as losing bytes */
#define BYTE_TRIES  10U
#define LOST_ENOUGH 16U /* limit of the bytes that a message names */

/* ---- Finding bytes that the line loses ---- */

static unsigned probe_size(const struct wire_host *host)
{
	unsigned size = host->probe_singly ? 1 : PROBE_BYTES;

	return host->probe_at + size <= 256 ? size : 256 - host->probe_at;
}

static void probe_bytes(const struct wire_host *host, struct wire_hello *hello)
{
	unsigned size = probe_size(host);

	for (unsigned i = 0; i < size; i++)
		hello->probe[i] = (uint8_t)(host->probe_at + i);
	hello->probe[size] = 0;
	hello->probes = (uint16_t)(size + 1);
}

static bool has_lost(const struct wire_host *host, unsigned low, unsigned high)
{
	for (unsigned i = 0; i < host->nr_lost; i++)
		if (host->lost[i] >= low && host->lost[i] <= high)
			return true;
	return false;
}

static const char *cure(const struct wire_host *host)
{
	if (host->nr_lost == LOST_ENOUGH && !has_lost(host, 0, 0x7f))
		return "set eight data bits and no parity at both ends";
	if (has_lost(host, 0x11, 0x11) || has_lost(host, 0x13, 0x13))
		return "that is software flow control: switch XON/XOFF off (stty -ixon -ixoff; "
		       "ser2net: -xonxoff)";
	if (has_lost(host, 0xff, 0xff))
		return "that is telnet: use a raw TCP port (ser2net: accepter tcp, not telnet)";
	if (has_lost(host, '\n', '\n') || has_lost(host, '\r', '\r'))
		return "that is a translation of line ends: make the line raw (stty raw)";
	return "make the line raw (stty raw -echo), with eight data bits and no parity";
}

static void name_lost(struct wire_host *host)
{
	char list[LOST_ENOUGH * 5 + 8] = "";
	size_t used = 0;

	for (unsigned i = 0; i < host->nr_lost; i++)
		used +=
		    (size_t)snprintf(list + used, sizeof(list) - used, " 0x%02x", host->lost[i]);
	if (host->nr_lost == LOST_ENOUGH)
		snprintf(list + used, sizeof(list) - used, " …");
	wire_host_fail(host, -EPROTO, "the line loses or changes the byte%s%s: %s",
	               host->nr_lost > 1 ? "s" : "", list, cure(host));
}

static void begin_frames(struct wire_host *host, int64_t now)
{
	host->state = WIRE_HOST_FRAMED;
	host->hellos = 0;
	wire_host_gets_again(host, now);
	wire_host_stores_again(host, now);
}

/* The bytes from probe_at on came back, or are known as lost. */
static void probe_next(struct wire_host *host, int64_t now)
{
	unsigned group = PROBE_BYTES;

	host->probe_at += probe_size(host);
	host->probe_tries = 0;
	host->probe_sent = false;
	if (host->probe_at % group == 0)
		host->probe_singly = false;
	if (host->probe_at < 256 && host->nr_lost < LOST_ENOUGH)
		return;
	if (host->nr_lost) {
		name_lost(host);
		return;
	}
	host->heard_all = true; /* only noise kept the long HELLO from arriving */
	begin_frames(host, now);
}

static void probe_failed(struct wire_host *host, int64_t now)
{
	if (++host->probe_tries < (host->probe_singly ? BYTE_TRIES : GROUP_TRIES))
		return;
	host->probe_tries = 0;
	if (!host->probe_singly) {
		host->probe_singly = true;
		return;
	}
	host->lost[host->nr_lost++] = (uint8_t)host->probe_at;
	probe_next(host, now);
}

static void begin_probes(struct wire_host *host)
{
	host->state = WIRE_HOST_PROBING;
	host->probe_at = host->probe_tries = host->nr_lost = 0;
	host->probe_singly = host->probe_sent = false;
}

/* ---- HELLO ---- */

static void all_bytes(struct wire_hello *hello)
{
	hello->probes = WIRE_PROBE_MAX;
	for (unsigned i = 0; i < WIRE_PROBE_MAX; i++)
		hello->probe[i] = (uint8_t)i;
}

/* At once after wire_host_begin(), which sets hello_us back. */
static bool hello_is_due(const struct wire_host *host, int64_t now)
{
	int64_t patience = wire_host_patience(host);

	if (host->state == WIRE_HOST_FRAMED)
		return wire_host_is_due(host, now);
	if (host->state == WIRE_HOST_PROBING)
		return !host->probe_sent || now - host->hello_us >= patience;
	return now - host->hello_us >= (HELLO_US > patience ? HELLO_US : patience);
}

size_t wire_host_hello(struct wire_host *host, uint8_t *body, int64_t now)
{
	struct wire_hello hello = { .version = WIRE_VERSION, .nonce = host->nonce };

	if (!hello_is_due(host, now))
		return 0;
	if (host->state == WIRE_HOST_PROBING && host->probe_sent)
		probe_failed(host, now);
	if (host->state == WIRE_HOST_FAILED)
		return 0;
	host->probe_sent = host->state == WIRE_HOST_PROBING;
	if (host->probe_sent)
		probe_bytes(host, &hello);
	else if (host->state == WIRE_HOST_SEEKING && !host->heard_all &&
	         (host->hellos < PATIENT || host->hellos % 2 == 0))
		all_bytes(&hello);
	host->hello_us = now;
	host->hellos++;
	return wire_put_hello(body, &hello);
}

/* ---- The answer ---- */

static bool is_probed(const struct wire_host *host, const struct wire_welcome *welcome)
{
	struct wire_hello hello;

	probe_bytes(host, &hello);
	return welcome->probes == hello.probes &&
	       memcmp(welcome->probe, hello.probe, hello.probes) == 0;
}

static bool has_all_bytes(const struct wire_welcome *welcome)
{
	struct wire_hello hello;

	all_bytes(&hello);
	return welcome->probes == WIRE_PROBE_MAX &&
	       memcmp(welcome->probe, hello.probe, WIRE_PROBE_MAX) == 0;
}

/* Checks whether the session can continue with this answer. */
static bool is_the_machine(struct wire_host *host, const struct wire_welcome *welcome)
{
	if (WIRE_MAJOR(welcome->version) != WIRE_MAJOR(WIRE_VERSION)) {
		wire_host_fail(host, -EPROTONOSUPPORT,
		               "the firmware speaks wire %u.%u, this bareperf %u.%u: use the one "
		               "that came with the firmware",
		               WIRE_MAJOR(welcome->version), welcome->version & 0xffff,
		               WIRE_MAJOR(WIRE_VERSION), WIRE_VERSION & 0xffff);
		return false;
	}
	if (host->has_welcome && host->welcome.nonce && welcome->nonce != host->welcome.nonce) {
		wire_host_fail(host, -ECONNRESET,
		               "the machine was reset: its region is another boot's. Undelivered "
		               "records are lost");
		return false;
	}
	return true;
}

void wire_host_welcomed(struct wire_host *host, const struct wire_welcome *welcome, int64_t now)
{
	if (welcome->host_nonce != host->nonce || host->state == WIRE_HOST_FAILED ||
	    !is_the_machine(host, welcome))
		return;
	host->welcome = *welcome;
	host->has_welcome = true;
	if (host->state == WIRE_HOST_FRAMED || !welcome->nonce || !welcome->region_size)
		return;
	if (host->state == WIRE_HOST_PROBING) {
		if (is_probed(host, welcome))
			probe_next(host, now);
		return;
	}
	host->heard_all |= has_all_bytes(welcome);
	if (host->heard_all)
		begin_frames(host, now);
	else if (!welcome->probes)
		begin_probes(host);
}
