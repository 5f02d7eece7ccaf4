/* SPDX-License-Identifier: MIT */
#include "host-tools/region/serial/serial_cable.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include "writer/util/printable.h"

#define AGAIN_US  1000000   /* between two attempts to connect */
#define OPEN_US   30000000  /* limit of the first wait for a machine */
#define LOST_US   600000000 /* limit of the wait for a machine that answered before */
#define REPORT_US 2000000   /* silence before the user is informed */
#define FLUSH_US  2000000   /* limit of delivering the stores at the end */

int64_t serial_cable_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000LL + now.tv_nsec / 1000;
}

void serial_cable_wake(struct serial_cable *cable)
{
	eventfd_write(cable->wake, 1);
}

void serial_cable_sleep(struct serial_cable *cable, int64_t us)
{
	int64_t until = serial_cable_now() + us;
	struct timespec at = { until / 1000000, until % 1000000 * 1000 };

	pthread_cond_timedwait(&cable->changed, &cable->lock, &at);
}

/* ---- Text between frames: printed without a terminal's control functions (ECMA-48, 5.4) ---- */

static bool is_shown(struct serial_cable *cable, char c)
{
	if (c == 0x1b) {
		cable->escape = 1;
	} else if (cable->escape == 1) {
		cable->escape = c == '[' ? 2 : 0;
	} else if (cable->escape == 2) {
		cable->escape = c >= '@' && c <= '~' ? 0 : 2;
	} else {
		return printable_char(c) == c || c == '\n' || c == '\t';
	}
	return false;
}

static void show_text(void *of, const char *text, size_t size)
{
	struct serial_cable *cable = of;

	for (size_t i = 0; i < size; i++)
		if (is_shown(cable, text[i]))
			fputc(text[i], stderr);
	fflush(stderr);
}

/* ---- A line that fails and returns ---- */

static void tell(struct serial_cable *cable, int64_t now)
{
	bool works = cable->link.fd >= 0 && cable->host.state == WIRE_HOST_FRAMED;

	if (cable->fast == SERIAL_FAST_TRIED && cable->link.fd >= 0)
		return; /* nothing is heard yet: serial_cable_negotiate() has a time-out of its own
		         */
	if (works && cable->lost_us && cable->lost_is_reported && cable->was_framed)
		say("%s: the line is back after %lld s", cable->name,
		    (long long)(now - cable->lost_us) / 1000000);
	cable->was_framed |= works;
	if (works) {
		cable->lost_us = 0;
		cable->lost_is_reported = false;
		return;
	}
	if (!cable->lost_us) {
		cable->lost_us = now;
		cable->heard = cable->host.counts.bytes_in;
		if (cable->host.baud != cable->link.baud)
			serial_cable_slow(cable, now); /* the machine has switched back, too */
		if (cable->was_framed)
			cable->fast = SERIAL_FAST_TODO;
	}
	if (cable->lost_is_reported || now - cable->lost_us < REPORT_US)
		return;
	cable->lost_is_reported = true;
	say("%s: %s", cable->name,
	    cable->was_framed ? "the line is silent; waiting for the machine"
	                      : "waiting for the machine's answer");
}

static void lose(struct serial_cable *cable, int code)
{
	serial_link_disconnect(&cable->link);
	cable->closed++;
	cable->host.state = cable->host.state == WIRE_HOST_FAILED ? WIRE_HOST_FAILED
	                                                          : WIRE_HOST_SEEKING;
	error_set(&cable->why, code, "the line was closed: %s", strerror(-code));
}

/* Only the thread uses the link, except while it is set up. */
static void reconnect(struct serial_cable *cable)
{
	struct pollfd wait = { .fd = cable->wake, .events = POLLIN };
	struct error why = { "" };
	int code;

	pthread_mutex_unlock(&cable->lock);
	poll(&wait, 1, AGAIN_US / 1000);
	code = serial_link_connect(&cable->link, &why);
	pthread_mutex_lock(&cable->lock);
	if (code) {
		cable->why = why;
		return;
	}
	cable->host.baud = cable->link.baud;
	wire_host_begin(&cable->host, serial_cable_now());
}

/* ---- Serving ---- */

/* Returns whether the line took less than all bytes. Negative: the line has failed. */
static int write_all(struct serial_cable *cable, int64_t now)
{
	const uint8_t *bytes;
	size_t size;

	while ((size = wire_host_give(&cable->host, &bytes, now))) {
		ssize_t done = serial_link_write(&cable->link, bytes, size);

		if (done < 0)
			return (int)done;
		wire_host_gave(&cable->host, (size_t)done, now);
		if ((size_t)done < size)
			return 1;
	}
	return 0;
}

/* Negative: the line has failed. */
static int read_all(struct serial_cable *cable, int64_t now)
{
	uint8_t bytes[4096];
	ssize_t got;

	for (unsigned i = 0; i < 16; i++) {
		got = serial_link_read(&cable->link, bytes, sizeof(bytes));
		if (got <= 0)
			return (int)got;
		wire_host_take(&cable->host, bytes, (size_t)got, now);
	}
	return 0;
}

static void sleep_on_line(struct serial_cable *cable, struct pollfd *fds, int64_t us)
{
	const struct timespec most = { us / 1000000, us % 1000000 * 1000 };
	eventfd_t count;

	pthread_mutex_unlock(&cable->lock);
	ppoll(fds, 2, &most, NULL);
	if (fds[1].revents & POLLIN)
		eventfd_read(cable->wake, &count);
	pthread_mutex_lock(&cable->lock);
}

static void turn(struct serial_cable *cable)
{
	int64_t now = serial_cable_now();
	struct pollfd fds[2] = { { .fd = cable->link.fd, .events = POLLIN },
		                 { .fd = cable->wake, .events = POLLIN } };
	int code;

	wire_host_pass(&cable->host, now);
	serial_cable_negotiate(cable, now);
	code = write_all(cable, now);
	if (code > 0)
		fds[0].events |= POLLOUT;
	if (code >= 0) {
		sleep_on_line(cable, fds, wire_host_pass(&cable->host, now));
		code = read_all(cable, serial_cable_now());
		if (!code && fds[0].revents & (POLLHUP | POLLERR | POLLNVAL))
			code = -EIO;
	}
	if (code < 0)
		lose(cable, code);
}

static void *serve(void *of)
{
	struct serial_cable *cable = of;

	pthread_mutex_lock(&cable->lock);
	while (!cable->stop) {
		if (cable->link.fd < 0)
			reconnect(cable);
		else
			turn(cable);
		tell(cable, serial_cable_now());
		pthread_cond_broadcast(&cable->changed);
	}
	pthread_mutex_unlock(&cable->lock);
	return NULL;
}

/* ---- Beginning and end ---- */

bool serial_cable_is_ready(const struct serial_cable *cable)
{
	return cable->was_framed && cable->host.state == WIRE_HOST_FRAMED &&
	       cable->fast == SERIAL_FAST_DONE;
}

/* Explains why a line may have no answer. */
static const char *diagnose(const struct serial_cable *cable)
{
	const struct wire_host_counts *counts = &cable->host.counts;

	if (cable->link.fd < 0 || (cable->closed && !counts->frames))
		return cable->why.text;
	if (cable->host.has_welcome && !cable->host.welcome.region_size)
		return "the firmware answers, but has no trace region yet";
	if (!cable->lost_us)
		return "the line works, but the requested data does not come";
	if (cable->was_framed && counts->bytes_in == cable->heard)
		return "nothing comes any more: is the cable in, and the machine on?";
	if (counts->frames)
		return "most of what comes is damaged: is the line raw, with eight bits and without "
		       "XON/XOFF?";
	if (!counts->bytes_in)
		return "nothing came. Is the machine on, bareperf booted, this its line, and the "
		       "rate right?";
	if (counts->text > counts->bytes_in / 2)
		return "text comes, but no answer: is it bareperf's firmware, and does it hear us "
		       "(a wire, RTS/CTS, a port that others write to)?";
	return "what comes is neither text nor frames: another rate, or no eight data bits?";
}

int serial_cable_check(struct serial_cable *cable, struct error *error)
{
	int64_t most = cable->timeout > 0  ? (int64_t)(cable->timeout * 1e6)
	               : cable->was_framed ? LOST_US
	                                   : OPEN_US;
	int64_t now = serial_cable_now();
	int64_t lost = cable->lost_us ? now - cable->lost_us
	                              : wire_host_unanswered(&cable->host, now);

	if (cable->host.state == WIRE_HOST_FAILED)
		return error_set(error, cable->host.code, "%s", cable->host.error.text);
	if (lost < most)
		return 0;
	return error_set(error, -ETIMEDOUT, "no answer in %lld s: %s", (long long)lost / 1000000,
	                 diagnose(cable));
}

static uint64_t any_nonce(void)
{
	uint64_t nonce = (uint64_t)serial_cable_now() * 2654435761U;

	if (getrandom(&nonce, sizeof(nonce), GRND_NONBLOCK) < 0)
		nonce ^= (uint64_t)getpid() << 32;
	return nonce;
}

static void free_cable(struct serial_cable *cable)
{
	wire_host_free(&cable->host);
	serial_link_free(&cable->link);
	if (cable->wake >= 0)
		close(cable->wake);
	pthread_cond_destroy(&cable->changed);
	pthread_mutex_destroy(&cable->lock);
	free(cable->name);
	free(cable);
}

static void init_locks(struct serial_cable *cable)
{
	pthread_condattr_t monotonic;

	pthread_condattr_init(&monotonic);
	pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
	pthread_cond_init(&cable->changed, &monotonic);
	pthread_condattr_destroy(&monotonic);
	pthread_mutex_init(&cable->lock, NULL);
}

int serial_cable_open(struct serial_cable **made, const char *name, struct serial_link *link,
                      double timeout, struct error *error)
{
	struct serial_cable *cable = calloc(1, sizeof(*cable));
	int code;

	if (!cable) {
		serial_link_free(link);
		return error_set(error, -ENOMEM, "no memory");
	}
	init_locks(cable);
	cable->link = *link;
	cable->timeout = timeout;
	cable->name = strdup(name);
	cable->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	wire_host_init(&cable->host, any_nonce(), link->baud);
	cable->host.text = show_text;
	cable->host.of = cable;
	code = cable->name && cable->wake >= 0 ? serial_link_connect(&cable->link, error)
	                                       : error_errno(error, "setting up");
	if (!code) {
		wire_host_begin(&cable->host, serial_cable_now());
		cable->lost_us = serial_cable_now();
		code = -pthread_create(&cable->thread, NULL, serve, cable);
		if (code)
			error_set(error, code, "starting a thread: %s", strerror(-code));
	}
	if (code)
		free_cable(cable);
	else
		*made = cable;
	return code;
}

static void flush(struct serial_cable *cable)
{
	int64_t until = serial_cable_now() + FLUSH_US;

	while (cable->host.state == WIRE_HOST_FRAMED && cable->host.nr_stores &&
	       serial_cable_now() < until)
		serial_cable_sleep(cable, until - serial_cable_now());
	wire_host_bye(&cable->host);
	while (cable->link.fd >= 0 && cable->host.out_at < cable->host.out_size &&
	       serial_cable_now() < until) {
		serial_cable_wake(cable);
		serial_cable_sleep(cable, 20000);
	}
}

void serial_cable_close(struct serial_cable *cable)
{
	const struct wire_host_counts *counts = &cable->host.counts;

	pthread_mutex_lock(&cable->lock);
	flush(cable);
	cable->stop = true;
	pthread_mutex_unlock(&cable->lock);
	serial_cable_wake(cable);
	pthread_join(cable->thread, NULL);
	if (counts->gaps || counts->damaged)
		say("%s: of %" PRIu64 " frames %" PRIu64
		    " were lost or damaged on the way, and asked for again",
		    cable->name, counts->frames + counts->gaps, counts->gaps);
	free_cable(cable);
}
