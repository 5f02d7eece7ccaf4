/* SPDX-License-Identifier: MIT */
#include "host-tools/util/copy.h"

#include <errno.h>
#include <stddef.h>
#include <unistd.h>

/* A full disk writes only a part; the next call then gives the reason. */
static int write_all(int to, const char *bytes, size_t size)
{
	while (size) {
		ssize_t done = write(to, bytes, size);

		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0)
			return done < 0 ? -errno : -EIO;
		bytes += done;
		size -= (size_t)done;
	}
	return 0;
}

int copy_all(int from, int to)
{
	char buffer[65536];
	int code = 0;

	while (!code) {
		ssize_t got = read(from, buffer, sizeof(buffer));

		if (!got)
			break;
		if (got > 0)
			code = write_all(to, buffer, (size_t)got);
		else if (errno != EINTR)
			code = -errno;
	}
	return code;
}
