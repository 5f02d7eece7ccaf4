/* SPDX-License-Identifier: MIT */
/* Signals as something to read, so that none interrupts the writing of a file. */
#ifndef HOST_TOOLS_UTIL_SIGNALS_H
#define HOST_TOOLS_UTIL_SIGNALS_H

#include <stdbool.h>

#include "writer/util/error.h"

/* *fd becomes a signalfd(2), the caller's to close, for those that end us and SIGUSR2. 0, or a
 * negative errno and the reason. Main thread, before there are others. */
int signals_open(int *fd, struct error *error);

/* Read what came since the last time: *signal becomes the last that wants us to end, *snapshot true
 * if SIGUSR2 was among them. Without waiting. */
void signals_take(int fd, int *signal, bool *snapshot);

/* Whether SIGINT, SIGTERM or SIGHUP waits to be read by signals_take(): -EINTR and "interrupted",
 * or 0. For waits that do not read the signalfd. Any thread. */
int signals_check(struct error *error);

#endif
