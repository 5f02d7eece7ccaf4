/* SPDX-License-Identifier: MIT */
/* Signals that a descriptor delivers, so that none interrupts the writing of a file. */
#ifndef HOST_TOOLS_UTIL_SIGNALS_H
#define HOST_TOOLS_UTIL_SIGNALS_H

#include <stdbool.h>

#include "writer/util/error.h"

/* *fd becomes a signalfd(2), which the caller closes, for the signals that end the tool and
 * SIGUSR2. 0, or a negative errno and the reason. Main thread, before other threads exist. */
int signals_open(int *fd, struct error *error);

/* Read the signals since the last call, without waiting: *signal becomes the last one that ends the
 * tool, *snapshot true if SIGUSR2 was among them. */
void signals_take(int fd, int *signal, bool *snapshot);

/* Whether SIGINT, SIGTERM or SIGHUP waits to be read by signals_take(): -EINTR and "interrupted",
 * or 0. For waits that do not read the signalfd. Any thread. */
int signals_check(struct error *error);

#endif
