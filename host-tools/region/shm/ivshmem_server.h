/* SPDX-License-Identifier: MIT */
/*
 * The host's end of QEMU's ivshmem-doorbell (QEMU, docs/specs/ivshmem-spec.txt, "Client-Server
 * protocol"): hands the shared memory and the doorbells to one QEMU, which is peer 0. We are
 * peer 1, whom the guest wakes.
 *
 * All that a server ever says to a lone client is known beforehand, and fits a socket's buffer.
 * So it is put into one half of a socket pair before QEMU starts, and QEMU gets the other half:
 * no socket with a name, nobody else who could connect, nothing that a peer says is ever read.
 * QEMU does not shake hands a second time, so our half stays open as long as QEMU lives.
 *
 * A doorbell is an eventfd that QEMU adds 1 to. A reader waits for it edge-triggered and
 * leaves the count in it, so a reader that dies takes no part of the count along.
 */
#ifndef HOST_TOOLS_REGION_SHM_IVSHMEM_SERVER_H
#define HOST_TOOLS_REGION_SHM_IVSHMEM_SERVER_H

#include <stdint.h>

#include "writer/util/error.h"

#define IVSHMEM_VECTORS    32U /* readers that the guest can tell apart */
#define IVSHMEM_SUPERVISOR 1U  /* the peer that we are */

struct ivshmem_server {
	int socket;                 /* our half; -1: no doorbells */
	int qemu_socket;            /* QEMU's half, until it has been started */
	int bells[IVSHMEM_VECTORS]; /* eventfds: the guest rings */
	int guest[IVSHMEM_VECTORS]; /* eventfds: the guest's own interrupts, which nobody raises */
};

/* A server that does not serve: what close may be called on. */
void ivshmem_server_init(struct ivshmem_server *server);

/* Make the eventfds and say everything to the peer at qemu_socket. memory_fd stays the caller's.
 * A negative errno leaves it as after ivshmem_server_init(). */
int ivshmem_server_open(struct ivshmem_server *server, int memory_fd, struct error *error);

/* QEMU has its half by now: close ours of it, so that its death is seen. */
void ivshmem_server_started(struct ivshmem_server *server);

/* How often this bell was rung since it was asked last; 0 if there is no server. */
uint64_t ivshmem_server_rung(struct ivshmem_server *server, uint32_t vector);

/* An epoll instance that is readable from the start, and then whenever a bell rings; wait for it
 * with ivshmem_wait(). -1 and errno if that fails. */
int ivshmem_server_listen(const struct ivshmem_server *server);

/* Sleep until a bell rings, without a time-out. It may have rung since the last call. */
void ivshmem_wait(int listener);

void ivshmem_server_close(struct ivshmem_server *server);

#endif
