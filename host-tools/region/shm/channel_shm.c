/* SPDX-License-Identifier: MIT */
/* shm:PATH: memory that a machine shares and that another program set up. */
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "host-tools/region/channel_url.h"
#include "host-tools/region/shm/ivshmem_client.h"
#include "writer/region/region.h"

/* In an ivshmem device the region is at offset 0, maybe not yet present; in a file that is a
 * machine's RAM (memory-backend-file) it is where the firmware allocated it. */
static void move_to_region(struct channel *channel)
{
	struct error ignored = { "" };
	size_t offset;

	if (region_find(channel->bytes, channel->size, UINT64_MAX, &offset, &ignored))
		return;
	channel->bytes = (uint8_t *)channel->bytes + offset;
	channel->size -= offset;
}

static int open_file(struct channel *channel, const char *path, size_t size, struct error *error)
{
	int fd = open(path, O_RDWR | O_CLOEXEC), code;

	if (fd < 0)
		return error_errno(error, "opening it");
	code = size ? channel_open_shared(channel, fd, size, NULL, error)
	            : error_set(error, -EPROTO, "the file is empty: no machine shares it");
	close(fd);
	return code;
}

static int open_socket(struct channel *channel, const char *path, struct error *error)
{
	struct ivshmem_client *client = NULL;
	int code = ivshmem_client_open(&client, path, error);

	if (!code)
		code = channel_open_peer(channel, client, error);
	if (code)
		ivshmem_client_close(client);
	return code;
}

int channel_open_shm(struct channel *channel, const char *path,
                     const struct channel_url_options *options, struct error *error)
{
	struct stat what;
	int code;

	(void)options;
	if (stat(path, &what))
		return error_errno(error, "looking for it");
	if (S_ISSOCK(what.st_mode))
		code = open_socket(channel, path, error);
	else if (S_ISREG(what.st_mode))
		code = open_file(channel, path, (size_t)what.st_size, error);
	else
		code = error_set(error, -EINVAL,
		                 "it is neither a file nor the socket of an ivshmem server");
	if (!code)
		move_to_region(channel);
	return code;
}
