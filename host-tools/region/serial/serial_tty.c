/* SPDX-License-Identifier: MIT */
#include "host-tools/region/serial/serial_tty.h"

#include <asm/termbits.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <unistd.h>

static void make_raw(struct termios2 *tty, uint32_t baud, bool rtscts)
{
	tty->c_iflag = 0;
	tty->c_oflag = 0;
	tty->c_lflag = 0;
	tty->c_cflag = CS8 | CREAD | CLOCAL | BOTHER | (rtscts ? CRTSCTS : 0);
	tty->c_ispeed = tty->c_ospeed = baud;
	memset(tty->c_cc, 0, sizeof(tty->c_cc)); /* VMIN 0, VTIME 0: read() does not wait */
}

static bool has_rate(const struct termios2 *tty, uint32_t baud)
{
	uint32_t slack = baud / 33;

	return tty->c_ospeed >= baud - slack && tty->c_ospeed <= baud + slack;
}

/* If a setting is impossible, the driver keeps its own value; reading the setting back shows it. */
static int set_up(int fd, uint32_t baud, bool rtscts, struct error *error)
{
	struct termios2 tty;

	if (ioctl(fd, TCGETS2, &tty))
		return error_set(error, -errno, "it is no serial line");
	make_raw(&tty, baud, rtscts);
	if (ioctl(fd, TCSETSF2, &tty) || ioctl(fd, TCGETS2, &tty))
		return error_errno(error, "setting it up");
	if (!has_rate(&tty, baud))
		return error_set(error, -EINVAL, "it does not do %u bit/s, but %u", baud,
		                 tty.c_ospeed);
	return 0;
}

int serial_tty_open(const char *path, uint32_t baud, bool rtscts, struct error *error)
{
	int fd = open(path, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC), code;

	if (fd < 0 && errno == EACCES)
		return error_set(error, -EACCES,
		                 "permission denied: it is for the group dialout, which «usermod "
		                 "-a -G dialout USER» adds somebody to");
	if (fd < 0 && errno != EBUSY)
		return error_errno(error, "opening it");
	if (fd < 0 || flock(fd, LOCK_EX | LOCK_NB)) {
		code = error_set(error, -EBUSY,
		                 "somebody else has it (a terminal program, ModemManager, another "
		                 "bareperf): «fuser -v %s» says who",
		                 path);
		goto failed;
	}
	code = set_up(fd, baud, rtscts, error);
	if (code)
		goto failed;
	ioctl(fd, TIOCEXCL); /* a later open() gets EBUSY; a pty may not support this */
	return fd;
failed:
	if (fd >= 0)
		close(fd);
	return code;
}

int serial_tty_set_baud(int fd, uint32_t baud)
{
	struct termios2 tty;

	if (ioctl(fd, TCGETS2, &tty))
		return -errno;
	tty.c_cflag = (tty.c_cflag & ~(unsigned)CBAUD) | BOTHER;
	tty.c_ispeed = tty.c_ospeed = baud;
	if (ioctl(fd, TCSETSW2, &tty) || ioctl(fd, TCGETS2, &tty))
		return -errno;
	return has_rate(&tty, baud) ? 0 : -EINVAL;
}
