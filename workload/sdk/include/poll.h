/* SPDX-License-Identifier: MIT */
/* newlib has none. */
#ifndef _POLL_H
#define _POLL_H

#ifdef __cplusplus
extern "C" {
#endif

#define POLLIN   0x001
#define POLLPRI  0x002
#define POLLOUT  0x004
#define POLLERR  0x008
#define POLLHUP  0x010
#define POLLNVAL 0x020

typedef unsigned long nfds_t;

struct pollfd {
	int fd; /* negative: ignored */
	short events, revents;
};

/* Files and the console are always ready. A pipe's reading end is ready when it has bytes, or no
 * writer any more. Waits for timeout ms; negative: without limit. Returns the number of ready
 * descriptors; 0: timeout. */
int poll(struct pollfd *fds, nfds_t count, int timeout);

#ifdef __cplusplus
}
#endif

#endif
