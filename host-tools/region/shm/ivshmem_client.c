/* SPDX-License-Identifier: MIT */
#include "host-tools/region/shm/ivshmem_client.h"

#include <endian.h>
#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "host-tools/util/signals.h"

#define PROTOCOL_VERSION 0
#define SHARED_MEMORY    (-1)
#define PEERS            0x10000 /* number of peers: their numbers have 16 bits */
#define ANSWER_MS        5000    /* limit of the wait for a server's first messages */
#define SLICE_MS         100     /* between two checks for a signal */
#define PEERS_AT_ONCE    1024    /* limit of the messages handled at a time */

/* Receives the server's next message: 64 bits, little-endian, perhaps with a file. 1; 0: none has
 * arrived (errno is EAGAIN), or the server has closed. */
static int hear(int socket, int64_t *number, int *fd)
{
	union {
		struct cmsghdr align;
		char bytes[CMSG_SPACE(sizeof(int))];
	} control;
	int64_t wire;
	struct iovec iov = { &wire, sizeof(wire) };
	struct msghdr message = { .msg_iov = &iov,
		                  .msg_iovlen = 1,
		                  .msg_control = &control,
		                  .msg_controllen = sizeof(control) };
	const struct cmsghdr *header;
	ssize_t got = recvmsg(socket, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);

	*fd = -1;
	if (got < 0)
		return 0;
	header = CMSG_FIRSTHDR(&message);
	if (header && header->cmsg_level == SOL_SOCKET && header->cmsg_type == SCM_RIGHTS &&
	    header->cmsg_len == CMSG_LEN(sizeof(*fd)))
		memcpy(fd, CMSG_DATA(header), sizeof(*fd));
	errno = got ? EPROTO : ECONNRESET;
	if (got != (ssize_t)sizeof(wire)) {
		if (*fd >= 0)
			close(*fd);
		return 0;
	}
	*number = (int64_t)le64toh((uint64_t)wire);
	return 1;
}

static int await(int socket, int64_t *number, int *fd, struct error *error)
{
	struct pollfd more = { .fd = socket, .events = POLLIN };
	int code = 0, ready = 0;

	for (int left = ANSWER_MS; left > 0 && !ready && !code; left -= SLICE_MS) {
		ready = poll(&more, 1, SLICE_MS);
		code = signals_check(error);
	}
	if (code)
		return code;
	if (!ready)
		return error_set(error, -ETIMEDOUT, "the server says nothing");
	if (ready < 0 || !hear(socket, number, fd))
		return error_errno(error, "listening to the server");
	return 0;
}

/* Receives the version, our number, and the memory. Later messages may come at any time. */
static int shake_hands(struct ivshmem_client *client, struct error *error)
{
	static const char no_server[] = "the other end is no ivshmem server";
	int64_t number = 0;
	int fd = -1, code = await(client->socket, &number, &fd, error);

	if (!code && (number != PROTOCOL_VERSION || fd >= 0))
		code = error_set(error, -EPROTO, "%s (its version is %lld)", no_server,
		                 (long long)number);
	if (!code)
		code = await(client->socket, &number, &fd, error);
	if (!code && (number < 0 || number >= PEERS || fd >= 0))
		code = error_set(error, -EPROTO, "%s (our number is to be %lld)", no_server,
		                 (long long)number);
	client->id = (uint16_t)number;
	if (!code)
		code = await(client->socket, &number, &client->memory_fd, error);
	if (!code && (number != SHARED_MEMORY || client->memory_fd < 0))
		code = error_set(error, -EPROTO, "%s (it gives no memory)", no_server);
	if (fd >= 0)
		close(fd);
	return code;
}

static int measure(struct ivshmem_client *client, struct error *error)
{
	struct stat memory;

	if (fstat(client->memory_fd, &memory))
		return error_errno(error, "the shared memory");
	if (memory.st_size <= 0)
		return error_set(error, -EPROTO, "the shared memory is empty");
	client->memory_size = (size_t)memory.st_size;
	return 0;
}

static bool listen_to(const struct ivshmem_client *client, int fd, uint32_t how)
{
	struct epoll_event event = { .events = how, .data.fd = fd };

	return !epoll_ctl(client->listener, EPOLL_CTL_ADD, fd, &event);
}

/* The server announces each peer with one message per vector. Only our own eventfds are kept. A
 * limit per call keeps a server that sends without end from blocking the tool; epoll reports the
 * rest at the next wait. */
static void hear_of_peers(struct ivshmem_client *client)
{
	int64_t number;
	int fd;

	for (unsigned i = 0; hear(client->socket, &number, &fd); i++) {
		bool ours = fd >= 0 && number == client->id &&
		            client->bell_count < IVSHMEM_CLIENT_BELLS;

		if (ours && listen_to(client, fd, EPOLLIN | EPOLLET))
			client->bells[client->bell_count++] = fd;
		else if (fd >= 0)
			close(fd);
		if (i == PEERS_AT_ONCE)
			return;
	}
	if (errno == EAGAIN)
		return;
	close(client->socket); /* closing also removes it from epoll */
	client->socket = -1;
}

static int connect_to(const char *path, struct error *error)
{
	/* time limit if the queue is full */
	const struct timeval bound = { .tv_sec = ANSWER_MS / 1000 };
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd < 0)
		return error_errno(error, "making a socket");
	if (strlen(path) >= sizeof(address.sun_path)) {
		close(fd);
		return error_set(error, -ENAMETOOLONG, "the path has more than %zu characters",
		                 sizeof(address.sun_path) - 1);
	}
	memcpy(address.sun_path, path, strlen(path));
	if (setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &bound, sizeof(bound)) ||
	    connect(fd, (const struct sockaddr *)&address, sizeof(address))) {
		int code = error_errno(error, "connecting");

		close(fd);
		return code;
	}
	return fd;
}

static int start_to_listen(struct ivshmem_client *client, struct error *error)
{
	client->listener = epoll_create1(EPOLL_CLOEXEC);
	if (client->listener < 0 || !listen_to(client, client->socket, EPOLLIN))
		return error_errno(error, "listening to doorbells");
	return 0;
}

int ivshmem_client_open(struct ivshmem_client **opened, const char *path, struct error *error)
{
	struct ivshmem_client *client = calloc(1, sizeof(*client));
	int code;

	if (!client)
		return error_set(error, -ENOMEM, "no memory for an ivshmem client");
	client->memory_fd = client->listener = -1;
	client->socket = connect_to(path, error);
	code = client->socket < 0 ? client->socket : shake_hands(client, error);
	if (!code)
		code = measure(client, error);
	if (!code)
		code = start_to_listen(client, error);
	if (code)
		ivshmem_client_close(client);
	else
		*opened = client;
	return code;
}

void ivshmem_client_wait(struct ivshmem_client *client, int ms)
{
	struct epoll_event events[IVSHMEM_CLIENT_BELLS];
	int count = epoll_wait(client->listener, events, IVSHMEM_CLIENT_BELLS, ms);

	for (int i = 0; i < count; i++) {
		if (client->socket >= 0 && events[i].data.fd == client->socket)
			hear_of_peers(client);
	}
}

void ivshmem_client_close(struct ivshmem_client *client)
{
	if (!client)
		return;
	for (unsigned i = 0; i < client->bell_count; i++)
		close(client->bells[i]);
	if (client->listener >= 0)
		close(client->listener);
	if (client->memory_fd >= 0)
		close(client->memory_fd);
	if (client->socket >= 0)
		close(client->socket);
	free(client);
}
