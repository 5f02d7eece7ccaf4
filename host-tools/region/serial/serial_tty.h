/* SPDX-License-Identifier: MIT */
/* Linux's ttys at any rate (struct termios2, BOTHER: ioctl_tty(2)). */
#ifndef HOST_TOOLS_REGION_SERIAL_SERIAL_TTY_H
#define HOST_TOOLS_REGION_SERIAL_SERIAL_TTY_H

#include <stdbool.h>
#include <stdint.h>

#include "writer/util/error.h"

/* Open a tty: raw, eight bits, no parity, one stop bit, this rate, exclusively, non-blocking. The
 * descriptor, or a negative errno. */
int serial_tty_open(const char *path, uint32_t baud, bool rtscts, struct error *error);

/* Another rate behind what was written. 0, or -EINVAL if the tty has not taken it (within 3 %). */
int serial_tty_set_baud(int fd, uint32_t baud);

#endif
