/* SPDX-License-Identifier: MIT */
/*
 * A client of an ivshmem server that somebody else runs (QEMU, docs/specs/ivshmem-spec.txt,
 * "Client-Server protocol"; QEMU's own server is contrib/ivshmem-server): it gives us the shared
 * memory, a number among its peers, and the eventfds by which these peers wake us. The machine must
 * know that number (struct tr_reader.peer).
 */
#ifndef HOST_TOOLS_REGION_SHM_IVSHMEM_CLIENT_H
#define HOST_TOOLS_REGION_SHM_IVSHMEM_CLIENT_H

#include <stdint.h>
#include <sys/types.h>

#include "writer/util/error.h"

#define IVSHMEM_CLIENT_BELLS 64U /* of ours, that we listen to */

struct ivshmem_client {
	int socket; /* -1: the server has gone, which the memory outlives */
	int memory_fd;
	size_t memory_size;
	uint16_t id; /* ours */
	int listener;
	unsigned bell_count;
	int bells[IVSHMEM_CLIENT_BELLS];
};

/* Connect to the server that listens at path, and wait for number and memory, to a bound. The
 * client is malloc()ed. -EPROTO: what answers speaks another protocol; -ETIMEDOUT. */
int ivshmem_client_open(struct ivshmem_client **client, const char *path, struct error *error);

/* Sleep until a peer wakes us, or for ms. The server's messages about peers are handled
 * meanwhile. */
void ivshmem_client_wait(struct ivshmem_client *client, int ms);

/* Nothing to do for NULL. */
void ivshmem_client_close(struct ivshmem_client *client);

#endif
