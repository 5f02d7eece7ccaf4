/* SPDX-License-Identifier: MIT */
/* serial:, tcp:, unix: the wire format over a tty or a console server. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "host-tools/region/channel_url.h"
#include "host-tools/region/serial/serial_cable.h"
#include "host-tools/util/signals.h"

#define FETCH_US  50000   /* limit of one call */
#define SIGNAL_US 1000000 /* after this long without an answer a signal ends the wait */
#define WAIT_US   250000  /* limit of the wait for news before the next look */

static int cable_fetch(void *own, struct mirror_piece *pieces, size_t count, struct error *error)
{
	struct serial_cable *cable = own;
	struct wire_host *host = &cable->host;
	int64_t until = serial_cable_now() + FETCH_US, now;
	int code = 0;

	pthread_mutex_lock(&cable->lock);
	if (host->pieces != pieces || host->count != count)
		code = wire_host_want(host, pieces, count, serial_cable_now());
	serial_cable_wake(cable);
	while (!code && host->pieces_left && (now = serial_cable_now()) < until) {
		code = serial_cable_check(cable, error);
		if (!code)
			serial_cable_sleep(cable, until - now);
	}
	if (!code)
		code = serial_cable_check(cable, error);
	if (!code && host->pieces_left)
		code = 1;
	if (code <= 0)
		wire_host_want(host, NULL, 0, serial_cable_now());
	pthread_mutex_unlock(&cable->lock);
	return code < 0 ? error_prefix(error, code, "%s", cable->name) : code;
}

static int cable_store(void *own, uint64_t offset, const void *from, size_t size,
                       struct error *error)
{
	struct serial_cable *cable = own;
	int code;

	pthread_mutex_lock(&cable->lock);
	code = serial_cable_check(cable, error);
	if (!code && wire_host_store(&cable->host, offset, from, size))
		code = error_set(error, -ENOMEM, "no memory for what is to be stored");
	pthread_mutex_unlock(&cable->lock);
	serial_cable_wake(cable);
	return code ? error_prefix(error, code, "%s", cable->name) : 0;
}

static uint64_t cable_stored(void *own)
{
	struct serial_cable *cable = own;
	uint64_t stored;

	pthread_mutex_lock(&cable->lock);
	stored = cable->host.stored;
	pthread_mutex_unlock(&cable->lock);
	return stored;
}

static int cable_clear(void *own, struct channel_bell *bells, size_t count, struct error *error)
{
	struct serial_cable *cable = own;
	int code;

	pthread_mutex_lock(&cable->lock);
	/* Requests under way may carry older words: cancels them, so that the words are read again.
	 */
	wire_host_want(&cable->host, NULL, 0, serial_cable_now());
	code = wire_host_clear(&cable->host, bells, count);
	if (code)
		error_set(error, code, "no memory for what is to be cleared");
	serial_cable_wake(cable);
	while (!code && cable->host.clears_left) {
		code = serial_cable_check(cable, error);
		if (!code && (cable->lost_us ||
		              wire_host_unanswered(&cable->host, serial_cable_now()) > SIGNAL_US))
			code = signals_check(error);
		if (!code)
			serial_cable_sleep(cable, FETCH_US);
	}
	wire_host_drop_clears(&cable->host);
	pthread_mutex_unlock(&cable->lock);
	return code ? error_prefix(error, code, "%s", cable->name) : 0;
}

/* Reports whether STATUS has changed in a way that needs a look; a changed heartbeat does not. */
static bool has_news(const struct serial_cable *cable)
{
	static const uint64_t none[WIRE_RINGS_WORDS];
	const struct wire_status *status = &cable->host.status, *seen = &cable->seen;

	return memcmp(status->rings, none, sizeof(none)) != 0 || status->run != seen->run ||
	       status->state != seen->state || status->reply != seen->reply ||
	       status->console_head != seen->console_head;
}

static void cable_wait(void *own)
{
	struct serial_cable *cable = own;
	int64_t until = serial_cable_now() + WAIT_US, now;

	pthread_mutex_lock(&cable->lock);
	while (!has_news(cable) && cable->host.state != WIRE_HOST_FAILED &&
	       (now = serial_cable_now()) < until)
		serial_cable_sleep(cable, until - now);
	memset(cable->host.status.rings, 0, sizeof(cable->host.status.rings));
	cable->seen = cable->host.status;
	pthread_mutex_unlock(&cable->lock);
}

static void cable_close(void *own)
{
	serial_cable_close(own);
}

static const struct mirror_cable_ops cable_ops = {
	.name = "serial line",
	.fetch = cable_fetch,
	.store = cable_store,
	.stored = cable_stored,
	.clear = cable_clear,
	.wait = cable_wait,
	.close = cable_close,
};

/* Waits until the machine has answered and the rate is negotiated. */
static int wait_ready(struct serial_cable *cable, uint64_t *size, struct error *error)
{
	int code = 0;

	pthread_mutex_lock(&cable->lock);
	while (!code && !serial_cable_is_ready(cable)) {
		code = serial_cable_check(cable, error);
		if (!code)
			code = signals_check(error);
		if (!code)
			serial_cable_sleep(cable, FETCH_US);
	}
	*size = cable->host.welcome.region_size;
	pthread_mutex_unlock(&cable->lock);
	return code;
}

static int open_line(struct channel *channel, enum serial_kind kind, const char *scheme,
                     const char *rest, const struct channel_url_options *options,
                     struct error *error)
{
	struct serial_cable *cable;
	struct serial_link link;
	char name[256];
	uint64_t size;
	int code = serial_link_init(&link, kind, rest, error);

	if (code)
		return code;
	snprintf(name, sizeof(name), "%s:%s", scheme, rest);
	code = serial_cable_open(&cable, name, &link, options->timeout, error);
	if (code)
		return code;
	code = wait_ready(cable, &size, error);
	if (!code)
		code = mirror_open(channel, &cable_ops, cable, size, error);
	if (code)
		serial_cable_close(cable);
	return code;
}

int channel_open_serial(struct channel *channel, const char *rest,
                        const struct channel_url_options *options, struct error *error)
{
	return open_line(channel, SERIAL_TTY, "serial", rest, options, error);
}

int channel_open_tcp(struct channel *channel, const char *rest,
                     const struct channel_url_options *options, struct error *error)
{
	return open_line(channel, SERIAL_TCP, "tcp", rest, options, error);
}

int channel_open_unix(struct channel *channel, const char *rest,
                      const struct channel_url_options *options, struct error *error)
{
	return open_line(channel, SERIAL_UNIX, "unix", rest, options, error);
}
