/* SPDX-License-Identifier: MIT */
/*
 * The host's end of QEMU's ivshmem-doorbell (QEMU, docs/specs/ivshmem-spec.txt, "Client-Server
 * protocol"). It passes the shared memory and the doorbells to one QEMU, which is peer 0. The host
 * tool is peer 1; the guest wakes peer 1.
 *
 * A server's messages to a single client are known in advance and fit into a socket's buffer. So
 * the host tool writes them into one half of a socket pair before it starts QEMU, and QEMU inherits
 * the other half. So no named socket exists, no other program can connect, and the server never
 * reads. QEMU does no second handshake, so the host's half stays open as long as QEMU lives.
 *
 * QEMU adds 1 to an eventfd for each ring of a doorbell. A reader waits edge-triggered and leaves
 * the count in the eventfd, so a reader that dies does not lose part of the count.
 */
#ifndef HOST_TOOLS_REGION_SHM_IVSHMEM_SERVER_H
#define HOST_TOOLS_REGION_SHM_IVSHMEM_SERVER_H

#include <stdint.h>

#include "writer/util/error.h"

#define IVSHMEM_VECTORS    32U /* the number of readers that the guest can wake separately */
#define IVSHMEM_SUPERVISOR 1U  /* the host tool's peer number */

struct ivshmem_server {
	int socket;                 /* the host's half; -1: no doorbells */
	int qemu_socket;            /* QEMU's half, until QEMU has started */
	int bells[IVSHMEM_VECTORS]; /* eventfds: the guest rings */
	/* eventfds: the guest's own interrupts, which the host never raises */
	int guest[IVSHMEM_VECTORS];
};

/* Makes an inactive server, which may be closed. */
void ivshmem_server_init(struct ivshmem_server *server);

/* Makes the eventfds and queues all messages for qemu_socket. The caller keeps memory_fd. On a
 * negative errno the server is inactive, as after ivshmem_server_init(). */
int ivshmem_server_open(struct ivshmem_server *server, int memory_fd, struct error *error);

/* Call after QEMU has inherited its half: closes the host's copy of QEMU's half, so that QEMU's
 * death closes the connection. */
void ivshmem_server_started(struct ivshmem_server *server);

/* Returns how often this bell rang since the last call; 0 if the server is inactive. */
uint64_t ivshmem_server_rung(struct ivshmem_server *server, uint32_t vector);

/* Returns an epoll instance that is readable once at first, and then whenever a bell rings. Wait
 * with ivshmem_wait(). -1 and errno on failure. */
int ivshmem_server_listen(const struct ivshmem_server *server);

/* Sleeps until a bell rings, without a time-out. Returns at once if a bell rang since the last
 * call. */
void ivshmem_wait(int listener);

void ivshmem_server_close(struct ivshmem_server *server);

#endif
