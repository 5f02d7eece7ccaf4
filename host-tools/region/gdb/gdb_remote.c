/* SPDX-License-Identifier: MIT */
#include "host-tools/region/gdb/gdb_remote.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "host-tools/region/gdb/gdb_bytes.h"
#include "writer/util/printable.h"

#define TRIES       5    /* attempts to send one packet */
#define STRAY       64   /* limit of unrequested packets before an answer */
#define PACKET_SIZE 400U /* if the stub reports no size: GDB's own assumption */
#define END_MS      1000 /* limit, at the end, for the machine to stop and the stub to answer */

static int acknowledge(struct gdb_remote *remote, bool good, struct error *error)
{
	return remote->no_ack ? 0 : gdb_send(remote, good ? "+" : "-", 1, error);
}

/* A stop reply, or text that the machine prints. A stub may send any number of these unrequested.
 */
static bool is_stray(const struct gdb_packet *packet)
{
	const uint8_t *body = packet->body;

	return body[0] == 'T' || body[0] == 'S' || body[0] == 'W' || body[0] == 'X' ||
	       (body[0] == 'O' && strcmp((const char *)body, "OK") != 0);
}

static int silent(const char *what, int timeout_ms, struct error *error)
{
	return error_set(error, -ETIMEDOUT, "%s: no answer from the GDB stub within %g s", what,
	                 timeout_ms / 1000.0);
}

/* Sends a body until the stub has acknowledged it, then waits for the answer. takes_stops: a stop
 * reply is an answer. */
static int ask_once(struct gdb_remote *remote, const char *body, const char *what, bool takes_stops,
                    struct error *error)
{
	char request[GDB_REQUEST_MAX + 8];
	size_t size = gdb_packet_make(request, body, strlen(body));
	struct gdb_wait wait = gdb_wait_for(remote, remote->timeout_ms);
	int tries = 1, strays = 0, code = gdb_send(remote, request, size, error);

	while (!code) {
		int event = gdb_next_event(remote, &wait, what, error);

		if (event < 0)
			return event;
		if (event == GDB_NOTHING)
			return silent(what, remote->timeout_ms, error);
		if (event == GDB_NAK && ++tries <= TRIES)
			code = gdb_send(remote, request, size, error);
		else if (event == GDB_DAMAGED && ++tries <= TRIES)
			code = acknowledge(remote, false, error);
		else if (event == GDB_NAK || event == GDB_DAMAGED)
			return error_set(error, -EPROTO,
			                 "%s: what comes from the GDB stub is damaged, %d times",
			                 what, TRIES);
		if (event != GDB_BODY)
			continue;
		code = acknowledge(remote, true, error);
		if (code || takes_stops || !is_stray(&remote->packet))
			return code;
		if (++strays > STRAY)
			return error_set(error, -EPROTO, "%s: the GDB stub answers other things",
			                 what);
	}
	return code;
}

int gdb_remote_ask(struct gdb_remote *remote, const char *body, const char *what,
                   struct error *error)
{
	return ask_once(remote, body, what, false, error);
}

static const char *answer(const struct gdb_remote *remote)
{
	return (const char *)remote->packet.body;
}

/* The answer as it arrived, for a message. */
static void printable_answer(const struct gdb_remote *remote, char text[24])
{
	size_t size = remote->packet.size < 20 ? remote->packet.size : 20;

	printable_copy(text, 24, (const char *)remote->packet.body, size, '?', "");
}

int gdb_remote_refused(const struct gdb_remote *remote, const char *what, struct error *error)
{
	char text[24];

	printable_answer(remote, text);
	if (!*text)
		return error_set(error, -ENOTSUP, "%s: the GDB stub cannot do that", what);
	return error_set(error, *text == 'E' ? -EFAULT : -EPROTO, "%s: the GDB stub answers \"%s\"",
	                 what, text);
}

int gdb_remote_ask_for_ok(struct gdb_remote *remote, const char *body, const char *what,
                          struct error *error)
{
	int code = ask_once(remote, body, what, false, error);

	if (code || !strcmp(answer(remote), "OK"))
		return code;
	return gdb_remote_refused(remote, what, error);
}

/* ---- Connecting ---- */

static bool offers(const char *features, const char *feature)
{
	size_t length = strlen(feature);

	for (const char *at = features; (at = strstr(at, feature)); at += length) {
		if ((at == features || at[-1] == ';') && (at[length] == ';' || !at[length]))
			return true;
	}
	return false;
}

static int learn_features(struct gdb_remote *remote, struct error *error)
{
	static const char what[] = "asking what it can do";
	const char *size;
	bool takes_no_ack;
	int code =
	    ask_once(remote, "qSupported:swbreak+;hwbreak+;binary-upload+", what, false, error);

	if (code)
		return code;
	size = strstr(answer(remote), "PacketSize=");
	remote->packet_size = size ? strtoul(size + strlen("PacketSize="), NULL, 16) : PACKET_SIZE;
	if (remote->packet_size < 64)
		return gdb_remote_refused(remote, what, error);
	if (remote->packet_size > GDB_PACKET_MAX)
		remote->packet_size = GDB_PACKET_MAX;
	remote->binary = offers(answer(remote), "binary-upload+");
	takes_no_ack = offers(answer(remote), "QStartNoAckMode+");
	if (takes_no_ack) {
		code = gdb_remote_ask_for_ok(remote, "QStartNoAckMode",
		                             "having no packets acknowledged", error);
		remote->no_ack = !code;
	}
	return code;
}

/* Checks that the machine is stopped: most stubs stop it when a debugger connects. */
static int learn_state(struct gdb_remote *remote, struct error *error)
{
	int code = ask_once(remote, "?", "asking whether the machine is stopped", true, error);

	if (code)
		return code;
	if (answer(remote)[0] == 'W' || answer(remote)[0] == 'X')
		return error_set(error, -ENODEV, "the GDB stub has no machine any more");
	if (answer(remote)[0] != 'T' && answer(remote)[0] != 'S')
		return gdb_remote_refused(remote, "asking whether the machine is stopped", error);
	return 0;
}

/* Only QEMU has this query. Other stubs' memory packets take the CPU's own addresses, which equal
 * the physical addresses of the region. */
static int learn_addresses(struct gdb_remote *remote, struct error *error)
{
	int code =
	    ask_once(remote, "qqemu.PhyMemMode", "asking for physical addresses", false, error);

	if (code || (strcmp(answer(remote), "0") != 0 && strcmp(answer(remote), "1") != 0))
		return code;
	remote->physical = true;
	return gdb_remote_ask_for_ok(remote, "Qqemu.PhyMemMode:1", "asking for physical addresses",
	                             error);
}

int gdb_remote_begin(struct gdb_remote *remote, int fd, int client, int timeout_ms,
                     struct error *error)
{
	int code;

	memset(remote, 0, sizeof(*remote));
	remote->fd = fd;
	remote->client = client;
	remote->timeout_ms = timeout_ms;
	code = learn_features(remote, error);
	if (!code)
		code = learn_state(remote, error);
	return code ? code : learn_addresses(remote, error);
}

/* ---- Running ---- */

int gdb_remote_run(struct gdb_remote *remote, struct error *error)
{
	char request[8];
	size_t size = gdb_packet_make(request, "c", 1);
	int code;

	if (remote->runs)
		return 0;
	code = gdb_send(remote, request, size, error);
	remote->runs = !code;
	return code;
}

/* 1: a stop reply arrived; 0: none arrived in time. */
static int hear(struct gdb_remote *remote, int timeout_ms, struct error *error)
{
	struct gdb_wait wait = gdb_wait_for(remote, timeout_ms);

	for (int packets = 0; packets < STRAY;) {
		int event = gdb_next_event(remote, &wait, "waiting for the machine to stop", error);
		int code;

		if (event <= 0)
			return event;
		if (event == GDB_ACK)
			continue;
		packets++;
		code = acknowledge(remote, event == GDB_BODY, error);
		if (code)
			return code;
		if (event != GDB_BODY)
			continue;
		if (answer(remote)[0] == 'W' || answer(remote)[0] == 'X')
			return error_set(error, -ENODEV, "the GDB stub has no machine any more");
		if (answer(remote)[0] == 'E')
			return gdb_remote_refused(remote, "letting the machine run", error);
		if (answer(remote)[0] != 'T' && answer(remote)[0] != 'S')
			continue;
		remote->runs = false;
		return 1;
	}
	return error_set(error, -EPROTO, "the GDB stub sends other things than a stop");
}

int gdb_remote_heard(struct gdb_remote *remote, struct error *error)
{
	return hear(remote, 0, error);
}

int gdb_remote_stop(struct gdb_remote *remote, struct error *error)
{
	int code;

	if (!remote->runs)
		return 0;
	code = gdb_send(remote, "\x03", 1, error);
	if (!code)
		code = hear(remote, remote->timeout_ms, error);
	if (code)
		return code < 0 ? code : 0;
	return silent("stopping the machine", remote->timeout_ms, error);
}

int gdb_remote_break(struct gdb_remote *remote, bool insert, uint64_t address, unsigned kind,
                     struct error *error)
{
	char request[64];

	snprintf(request, sizeof(request), "%c1,%" PRIx64 ",%x", insert ? 'Z' : 'z', address, kind);
	return gdb_remote_ask_for_ok(remote, request, "a hardware breakpoint", error);
}

/* QEMU requires a process id if any earlier debugger used process ids; its first id is 1. If the
 * detach fails, the machine at least runs when the connection closes. */
static void detach(struct gdb_remote *remote)
{
	static const char what[] = "detaching";
	struct error ignored = { "" };
	int code;

	/* the machine then runs, and some stubs stop it at any byte, even an acknowledgement */
	remote->no_ack = true;
	code = gdb_remote_ask_for_ok(remote, "D", what, &ignored);

	if (code == -EFAULT)
		code = gdb_remote_ask_for_ok(remote, "D;1", what, &ignored);
	if (code)
		gdb_remote_run(remote, &ignored);
}

void gdb_remote_end(struct gdb_remote *remote)
{
	struct error ignored = { "" };

	if (remote->timeout_ms > END_MS)
		remote->timeout_ms = END_MS;
	remote->client = -1;
	remote->last_ms = gdb_now_ms() + 4 * END_MS;
	gdb_remote_stop(remote, &ignored);
	detach(remote);
	close(remote->fd);
	remote->fd = -1;
}
