/* SPDX-License-Identifier: MIT */
/* A connection to a GDB stub. */
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "host-tools/region/gdb/gdb_machine.h"

/* If a listener never accepts, connect() blocks once its queue is full. */
static int connect_unix(const char *path, int timeout_ms, struct error *error)
{
	const struct timeval bound = { timeout_ms / 1000, timeout_ms % 1000 * 1000 };
	struct sockaddr_un to = { .sun_family = AF_UNIX };
	int fd;

	if (strlen(path) >= sizeof(to.sun_path))
		return error_set(error, -ENAMETOOLONG, "%s: too long for a socket's path", path);
	strcpy(to.sun_path, path);
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd >= 0 && !setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &bound, sizeof(bound)) &&
	    !connect(fd, (struct sockaddr *)&to, sizeof(to)))
		return fd;
	error_errno(error, "connecting to the GDB stub at %s", path);
	if (fd >= 0)
		close(fd);
	return -ECONNREFUSED;
}

/* Connects within the time limit. 0, or an errno. */
static int connect_one(int fd, const struct addrinfo *to, int timeout_ms)
{
	struct pollfd done = { .fd = fd, .events = POLLOUT };
	socklen_t size = sizeof(int);
	int code = 0;

	if (!connect(fd, to->ai_addr, to->ai_addrlen))
		return 0;
	if (errno != EINPROGRESS)
		return errno;
	if (poll(&done, 1, timeout_ms) <= 0)
		return ETIMEDOUT;
	getsockopt(fd, SOL_SOCKET, SO_ERROR, &code, &size);
	return code;
}

static int connect_tcp(const struct gdb_target *target, struct error *error)
{
	const struct addrinfo hints = { .ai_socktype = SOCK_STREAM };
	struct addrinfo *found = NULL;
	int why = getaddrinfo(target->host, target->port, &hints, &found), fd = -1, one = 1;

	if (why)
		return error_set(error, -EINVAL, "%s: %s", target->host, gai_strerror(why));
	why = ECONNREFUSED;
	for (const struct addrinfo *to = found; to; to = to->ai_next) {
		fd = socket(to->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
		if (fd < 0)
			continue;
		why = connect_one(fd, to, target->timeout_ms);
		if (!why)
			break;
		close(fd);
		fd = -1;
	}
	freeaddrinfo(found);
	if (fd < 0)
		return error_set(error, -ECONNREFUSED,
		                 "connecting to the GDB stub at %s:%s: %s. Has the machine been "
		                 "started with one (QEMU: -gdb tcp::%s)?",
		                 target->host, target->port, strerror(why), target->port);
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	return fd;
}

int gdb_connect(const struct gdb_target *target, struct error *error)
{
	return *target->port ? connect_tcp(target, error)
	                     : connect_unix(target->host, target->timeout_ms, error);
}
