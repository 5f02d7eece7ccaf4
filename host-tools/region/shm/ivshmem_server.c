/* SPDX-License-Identifier: MIT */
#include "host-tools/region/shm/ivshmem_server.h"

#include <errno.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#define PROTOCOL_VERSION 0
#define GUEST            0 /* QEMU: the first peer; only the first peer may be QEMU's "master" */
#define SHARED_MEMORY    (-1)

static void close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

void ivshmem_server_init(struct ivshmem_server *server)
{
	server->socket = server->qemu_socket = -1;
	for (unsigned i = 0; i < IVSHMEM_VECTORS; i++)
		server->bells[i] = server->guest[i] = -1;
}

void ivshmem_server_close(struct ivshmem_server *server)
{
	close_fd(&server->socket);
	close_fd(&server->qemu_socket);
	for (unsigned i = 0; i < IVSHMEM_VECTORS; i++) {
		close_fd(&server->bells[i]);
		close_fd(&server->guest[i]);
	}
}

/* Sends one message: 64 bits, little-endian, perhaps with a file descriptor. */
static int say_to_peer(int to, int64_t number, int fd)
{
	union {
		struct cmsghdr align;
		char bytes[CMSG_SPACE(sizeof(int))];
	} control;
	int64_t wire = (int64_t)htole64((uint64_t)number);
	struct iovec iov = { &wire, sizeof(wire) };
	struct msghdr message = { .msg_iov = &iov, .msg_iovlen = 1 };

	if (fd >= 0) {
		struct cmsghdr *header = &control.align;

		memset(&control, 0, sizeof(control));
		message.msg_control = &control;
		message.msg_controllen = sizeof(control);
		header->cmsg_level = SOL_SOCKET;
		header->cmsg_type = SCM_RIGHTS;
		header->cmsg_len = CMSG_LEN(sizeof(fd));
		memcpy(CMSG_DATA(header), &fd, sizeof(fd));
	}
	/* The messages always fit the socket's buffer; MSG_NOSIGNAL avoids a signal if the other
	 * end is closed. */
	if (sendmsg(to, &message, MSG_DONTWAIT | MSG_NOSIGNAL) != (ssize_t)sizeof(wire))
		return -1;
	return 0;
}

/* In the protocol's order: version, the peer's id, the memory, the other peers, the peer's own
 * interrupts. */
static int say_all(const struct ivshmem_server *server, int memory_fd)
{
	int to = server->socket;
	int failed = say_to_peer(to, PROTOCOL_VERSION, -1);

	failed = failed || say_to_peer(to, GUEST, -1) || say_to_peer(to, SHARED_MEMORY, memory_fd);
	for (unsigned i = 0; i < IVSHMEM_VECTORS && !failed; i++)
		failed = say_to_peer(to, IVSHMEM_SUPERVISOR, server->bells[i]);
	for (unsigned i = 0; i < IVSHMEM_VECTORS && !failed; i++)
		failed = say_to_peer(to, GUEST, server->guest[i]);
	return failed ? -1 : 0;
}

static int make_all(struct ivshmem_server *server)
{
	int pair[2];

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair))
		return -1;
	server->socket = pair[0];
	server->qemu_socket = pair[1];
	for (unsigned i = 0; i < IVSHMEM_VECTORS; i++) {
		server->bells[i] = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
		server->guest[i] = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
		if (server->bells[i] < 0 || server->guest[i] < 0)
			return -1;
	}
	return 0;
}

int ivshmem_server_open(struct ivshmem_server *server, int memory_fd, struct error *error)
{
	int code = 0;

	ivshmem_server_init(server);
	if (make_all(server) || say_all(server, memory_fd)) {
		code = error_errno(error, "making %u doorbells for QEMU", IVSHMEM_VECTORS);
		ivshmem_server_close(server);
	}
	return code;
}

void ivshmem_server_started(struct ivshmem_server *server)
{
	close_fd(&server->qemu_socket);
}

uint64_t ivshmem_server_rung(struct ivshmem_server *server, uint32_t vector)
{
	uint64_t count;

	if (server->socket < 0 || vector >= IVSHMEM_VECTORS ||
	    read(server->bells[vector], &count, sizeof(count)) != (ssize_t)sizeof(count))
		return 0;
	return count;
}

int ivshmem_server_listen(const struct ivshmem_server *server)
{
	int listener = epoll_create1(EPOLL_CLOEXEC);
	struct epoll_event event = { .events = EPOLLIN | EPOLLET };

	for (unsigned i = 0; i < IVSHMEM_VECTORS && listener >= 0; i++) {
		event.data.u32 = i;
		if (epoll_ctl(listener, EPOLL_CTL_ADD, server->bells[i], &event))
			close_fd(&listener);
	}
	return listener;
}

void ivshmem_wait(int listener)
{
	struct epoll_event rung[IVSHMEM_VECTORS];

	while (epoll_wait(listener, rung, IVSHMEM_VECTORS, -1) < 0 && errno == EINTR)
		;
}
