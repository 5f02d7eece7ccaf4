/* SPDX-License-Identifier: MIT */
/* Linux's ttys at any rate (struct termios2, BOTHER: ioctl_tty(2)). */
#ifndef HOST_TOOLS_REGION_SERIAL_SERIAL_TTY_H
#define HOST_TOOLS_REGION_SERIAL_SERIAL_TTY_H

#include <stdbool.h>
#include <stdint.h>

#include "writer/util/error.h"

/* Opens a tty: raw, eight bits, no parity, one stop bit, this rate, exclusive, non-blocking.
 * Returns the descriptor or a negative errno. */
int serial_tty_open(const char *path, uint32_t baud, bool rtscts, struct error *error);

/* Changes the rate after all written bytes have been sent. 0, or -EINVAL if the tty's actual rate
 * differs by more than 3 %. */
int serial_tty_set_baud(int fd, uint32_t baud);

#endif
