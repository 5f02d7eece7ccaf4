/* SPDX-License-Identifier: MIT */
#include "host-tools/region/serial/serial_link.h"

#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "host-tools/region/serial/serial_tty.h"

#define CONNECT_S 5

/* ---- The URL ---- */

static int parse_baud(const char *text, uint32_t *baud, struct error *error)
{
	char *end;
	unsigned long value = strtoul(text, &end, 10);

	if (*end || end == text || *text == '-' || value < 50 || value > SERIAL_BAUD_MAX)
		return error_set(error, -EINVAL, "«%s»: want a rate from 50 to %u bit/s", text,
		                 SERIAL_BAUD_MAX);
	*baud = (uint32_t)value;
	return 0;
}

static int parse_option(struct serial_link *link, const char *word, struct error *error)
{
	if (strcmp(word, "rtscts") == 0) {
		link->rtscts = true;
		return 0;
	}
	if (strncmp(word, "fast=", 5) == 0)
		return parse_baud(word + 5, &link->fast, error);
	if (*word >= '0' && *word <= '9')
		return parse_baud(word, &link->baud, error);
	return error_set(error, -EINVAL, "«%s»: want DEVICE[,BAUD][,rtscts][,fast=BAUD]", word);
}

static int parse_tty(struct serial_link *link, struct error *error)
{
	char *rest = strchr(link->where, ','), *word, *more = NULL;
	int code = 0;

	link->baud = SERIAL_BAUD;
	if (!rest)
		return 0;
	*rest++ = 0;
	for (word = strtok_r(rest, ",", &more); word && !code; word = strtok_r(NULL, ",", &more))
		code = parse_option(link, word, error);
	return code;
}

static int parse_tcp(struct serial_link *link, struct error *error)
{
	char *colon = strrchr(link->where, ':');
	size_t length = colon ? (size_t)(colon - link->where) : 0;

	if (!length || !colon[1])
		return error_set(error, -EINVAL, "«%s»: want HOST:PORT", link->where);
	*colon = 0;
	link->port = strdup(colon + 1);
	if (link->where[0] == '[' && link->where[length - 1] == ']') {
		link->where[length - 1] = 0;
		memmove(link->where, link->where + 1, length - 1);
	}
	return link->port ? 0 : error_set(error, -ENOMEM, "no memory");
}

int serial_link_init(struct serial_link *link, enum serial_kind kind, const char *rest,
                     struct error *error)
{
	int code = 0;

	*link = (struct serial_link){ .kind = kind, .fd = -1, .where = strdup(rest) };
	if (!link->where)
		return error_set(error, -ENOMEM, "no memory");
	if (kind == SERIAL_TTY)
		code = parse_tty(link, error);
	else if (kind == SERIAL_TCP)
		code = parse_tcp(link, error);
	if (code)
		serial_link_free(link);
	return code;
}

/* ---- Sockets ---- */

static int fail(int fd, struct error *error, const char *what)
{
	int code = error_errno(error, "%s", what);

	if (fd >= 0)
		close(fd);
	return code;
}

static int connect_within(int fd, const struct sockaddr *to, socklen_t size)
{
	const struct timeval bound = { .tv_sec = CONNECT_S };

	if (setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &bound, sizeof(bound)) || connect(fd, to, size))
		return -1;
	return fcntl(fd, F_SETFL, O_NONBLOCK);
}

static int connect_tcp(const struct serial_link *link, struct error *error)
{
	const struct addrinfo hints = { .ai_socktype = SOCK_STREAM };
	struct addrinfo *list;
	const int yes = 1;
	int code = getaddrinfo(link->where, link->port, &hints, &list), fd = -1;

	if (code)
		return error_set(error, -EHOSTUNREACH, "%s", gai_strerror(code));
	for (const struct addrinfo *at = list; at && fd < 0; at = at->ai_next) {
		fd = socket(at->ai_family, at->ai_socktype | SOCK_CLOEXEC, at->ai_protocol);
		if (fd >= 0 && connect_within(fd, at->ai_addr, at->ai_addrlen)) {
			close(fd);
			fd = -1;
		}
	}
	freeaddrinfo(list);
	if (fd < 0)
		return fail(fd, error, "connecting");
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof(yes));
	return fd;
}

static int connect_unix(const struct serial_link *link, struct error *error)
{
	struct sockaddr_un to = { .sun_family = AF_UNIX };
	int fd;

	if (strlen(link->where) >= sizeof(to.sun_path))
		return error_set(error, -ENAMETOOLONG, "the socket's path is too long");
	memcpy(to.sun_path, link->where, strlen(link->where));
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd < 0 || connect_within(fd, (const struct sockaddr *)&to, sizeof(to)))
		return fail(fd, error, "connecting");
	return fd;
}

/* ---- All kinds of links ---- */

int serial_link_connect(struct serial_link *link, struct error *error)
{
	int fd;

	if (link->kind == SERIAL_TTY)
		fd = serial_tty_open(link->where, link->baud, link->rtscts, error);
	else if (link->kind == SERIAL_TCP)
		fd = connect_tcp(link, error);
	else
		fd = connect_unix(link, error);
	if (fd < 0)
		return fd;
	link->fd = fd;
	return 0;
}

void serial_link_disconnect(struct serial_link *link)
{
	if (link->fd >= 0)
		close(link->fd);
	link->fd = -1;
}

static ssize_t result_of(ssize_t done)
{
	if (done >= 0)
		return done;
	return errno == EAGAIN || errno == EINTR ? 0 : -errno;
}

/* read() returns 0 on a raw tty without input (VMIN is 0), but on a socket after it was closed. */
ssize_t serial_link_read(struct serial_link *link, void *to, size_t size)
{
	ssize_t got = read(link->fd, to, size);

	if (!got && link->kind != SERIAL_TTY)
		return -ECONNRESET;
	return result_of(got);
}

ssize_t serial_link_write(struct serial_link *link, const void *from, size_t size)
{
	if (link->kind == SERIAL_TTY)
		return result_of(write(link->fd, from, size));
	return result_of(send(link->fd, from, size, MSG_NOSIGNAL));
}

int serial_link_set_baud(struct serial_link *link, uint32_t baud)
{
	return link->kind == SERIAL_TTY ? serial_tty_set_baud(link->fd, baud) : -ENOTSUP;
}

void serial_link_free(struct serial_link *link)
{
	serial_link_disconnect(link);
	free(link->where);
	free(link->port);
	*link = (struct serial_link){ .fd = -1 };
}
