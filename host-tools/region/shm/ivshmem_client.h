/* SPDX-License-Identifier: MIT */
/*
 * A client of an ivshmem server that another program runs (QEMU, docs/specs/ivshmem-spec.txt,
 * "Client-Server protocol"; QEMU's own server is contrib/ivshmem-server). The server passes the
 * client the shared memory, a peer number, and the eventfds with which other peers wake the client.
 * The client publishes its peer number to the machine (struct tr_reader.peer).
 */
#ifndef HOST_TOOLS_REGION_SHM_IVSHMEM_CLIENT_H
#define HOST_TOOLS_REGION_SHM_IVSHMEM_CLIENT_H

#include <stdint.h>
#include <sys/types.h>

#include "writer/util/error.h"

#define IVSHMEM_CLIENT_BELLS 64U /* how many of our eventfds the client waits for */

struct ivshmem_client {
	int socket; /* -1: the server has closed the connection; the memory stays usable */
	int memory_fd;
	size_t memory_size;
	uint16_t id; /* our peer number */
	int listener;
	unsigned bell_count;
	int bells[IVSHMEM_CLIENT_BELLS];
};

/* Connects to the server at path and waits, for a bounded time, for the peer number and the memory.
 * Allocates the client with malloc(). -EPROTO: the program at path speaks another protocol;
 * -ETIMEDOUT. */
int ivshmem_client_open(struct ivshmem_client **client, const char *path, struct error *error);

/* Sleeps until a peer wakes the client, at most ms. Handles the server's messages about peers
 * meanwhile. */
void ivshmem_client_wait(struct ivshmem_client *client, int ms);

/* NULL is allowed. */
void ivshmem_client_close(struct ivshmem_client *client);

#endif
