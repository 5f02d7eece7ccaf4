/* SPDX-License-Identifier: MIT */
#include "host-tools/region/gdb/gdb_bytes.h"

#include <errno.h>
#include <poll.h>
#include <sys/socket.h>
#include <time.h>

/* Limits of one wait. A correct answer has up to GDB_PACKET_MAX bytes, may be repeated five times
 * because of damage, and may follow 64 packets of the machine's text. */
#define WAIT_BYTES (16U * GDB_PACKET_MAX)

#define LAST_MS 5000

int64_t gdb_now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000LL + now.tv_nsec / 1000000;
}

struct gdb_wait gdb_wait_for(const struct gdb_remote *remote, int timeout_ms)
{
	struct gdb_wait wait = { .until = gdb_now_ms() + timeout_ms, .bytes = WAIT_BYTES };

	if (remote->last_ms && wait.until > remote->last_ms)
		wait.until = remote->last_ms;
	return wait;
}

/* After the client has gone, the present request may end, and the client's stores may still reach
 * the machine, but all within LAST_MS. */
static void note_client(struct gdb_remote *remote, short revents)
{
	if (!(revents & (POLLHUP | POLLERR | POLLNVAL)))
		return;
	remote->client = -1;
	remote->last_ms = gdb_now_ms() + LAST_MS;
}

/* Waits until the socket is ready for events. False: the time is over. */
static bool await(struct gdb_remote *remote, struct gdb_wait *wait, short events)
{
	for (;;) {
		struct pollfd fds[] = { { .fd = remote->fd, .events = events },
			                { .fd = remote->client, .events = 0 } };
		int64_t left;

		if (remote->last_ms && wait->until > remote->last_ms)
			wait->until = remote->last_ms;
		left = wait->until - gdb_now_ms();
		if (left <= 0 && wait->is_over)
			return false;
		wait->is_over = left <= 0;
		if (poll(fds, 2, left > 0 ? (int)left : 0) < 0)
			continue;
		note_client(remote, fds[1].revents);
		if (fds[0].revents)
			return true;
	}
}

int gdb_send(struct gdb_remote *remote, const char *bytes, size_t size, struct error *error)
{
	struct gdb_wait wait = gdb_wait_for(remote, remote->timeout_ms);

	while (size) {
		ssize_t sent = send(remote->fd, bytes, size, MSG_NOSIGNAL | MSG_DONTWAIT);

		if (sent < 0 && (errno == EAGAIN || errno == EINTR)) {
			if (!await(remote, &wait, POLLOUT))
				return error_set(error, -ETIMEDOUT,
				                 "the GDB stub takes no more bytes");
			continue;
		}
		if (sent < 0)
			return error_errno(error, "writing to the GDB stub");
		bytes += sent;
		size -= (size_t)sent;
	}
	return 0;
}

/* Reads bytes into the empty buffer. 1: some arrived; 0: none arrived in time. */
static int receive(struct gdb_remote *remote, struct gdb_wait *wait, const char *what,
                   struct error *error)
{
	while (await(remote, wait, POLLIN)) {
		ssize_t got = recv(remote->fd, remote->in, sizeof(remote->in), MSG_DONTWAIT);

		if (got < 0 && (errno == EAGAIN || errno == EINTR))
			continue;
		if (got < 0)
			return error_errno(error, "%s: reading from the GDB stub", what);
		if (!got)
			return error_set(
			    error, -ECONNRESET, "%s: the GDB stub closed the connection%s", what,
			    remote->packet_size ? "" : ". Does another debugger hold it?");
		remote->in_at = 0;
		remote->in_size = (size_t)got;
		return 1;
	}
	return 0;
}

int gdb_next_event(struct gdb_remote *remote, struct gdb_wait *wait, const char *what,
                   struct error *error)
{
	for (;;) {
		enum gdb_event event;
		size_t used;
		int code;

		if (remote->in_at == remote->in_size) {
			code = receive(remote, wait, what, error);
			if (code <= 0)
				return code < 0 ? code : GDB_NOTHING;
		}
		event = gdb_packet_feed(&remote->packet, remote->in + remote->in_at,
		                        remote->in_size - remote->in_at, &used);
		remote->in_at += used;
		if (used > wait->bytes)
			return error_set(error, -EPROTO,
			                 "%s: the GDB stub sends bytes without end, and no answer "
			                 "is among them",
			                 what);
		wait->bytes -= used;
		if (event != GDB_NOTHING)
			return (int)event;
	}
}
