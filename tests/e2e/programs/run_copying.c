/* SPDX-License-Identifier: MIT */
/* The host tool, with a channel that copies between itself and the machine's memory: the linker
 * replaces channel_open_shared(). */
#include "tests/unit/host-tools/region/copying_channel.h"

#define PIECE (256U << 10) /* bytes */

int __real_channel_open_shared(struct channel *channel, int fd, size_t size,
                               struct ivshmem_server *server, struct error *error);
int __wrap_channel_open_shared(struct channel *channel, int fd, size_t size,
                               struct ivshmem_server *server, struct error *error);

int __wrap_channel_open_shared(struct channel *channel, int fd, size_t size,
                               struct ivshmem_server *server, struct error *error)
{
	const struct copying_options options = { .piece = PIECE };
	int code = __real_channel_open_shared(channel, fd, size, server, error);

	if (code)
		return code;
	code = copying_channel_wrap(channel, &options, error);
	if (code)
		channel_close(channel);
	return code;
}
