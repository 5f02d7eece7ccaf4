/* SPDX-License-Identifier: MIT */
/* The channel whose bytes are memory: a shared mapping, or a file as it lies. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "host-tools/region/channel.h"
#include "host-tools/region/region.h"

static int memory_refresh(struct channel *channel, struct error *error)
{
	(void)channel;
	(void)error;
	return 0;
}

static int memory_publish(struct channel *channel, uint64_t offset, size_t size,
                          struct error *error)
{
	(void)channel;
	(void)offset;
	(void)size;
	(void)error;
	return 0;
}

static void memory_close(struct channel *channel)
{
	if (channel->mapping)
		munmap(channel->mapping, channel->mapping_size);
	memset(channel, 0, sizeof(*channel));
}

static const struct channel_ops memory_ops = {
	.name = "memory",
	.refresh = memory_refresh,
	.publish = memory_publish,
	.close = memory_close,
};

static int map(struct channel *channel, int fd, size_t size, int flags, struct error *error)
{
	void *at = mmap(NULL, size, PROT_READ | PROT_WRITE, flags, fd, 0);

	if (at == MAP_FAILED)
		return error_errno(error, "mapping 0x%zx bytes", size);
	*channel = (struct channel){
		.ops = &memory_ops,
		.bytes = at,
		.size = size,
		.mapping = at,
		.mapping_size = size,
	};
	return 0;
}

int channel_open_shared(struct channel *channel, int fd, size_t size, struct error *error)
{
	int code = map(channel, fd, size, MAP_SHARED, error);

	if (!code)
		channel->live = true;
	return code;
}

static int open_sized(const char *path, size_t *size, struct error *error)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat stat_of;
	int code = 0;

	if (fd < 0)
		return error_errno(error, "opening %s", path);
	if (fstat(fd, &stat_of))
		code = error_errno(error, "looking at %s", path);
	else if (!S_ISREG(stat_of.st_mode))
		code = error_set(error, -EINVAL, "%s is no regular file", path);
	else if (!stat_of.st_size)
		code = error_set(error, -EPROTO, "%s is empty", path);
	if (code) {
		close(fd);
		return code;
	}
	*size = (size_t)stat_of.st_size;
	return fd;
}

int channel_open_file(struct channel *channel, const char *path, uint64_t base, struct error *error)
{
	size_t size = 0, offset;
	int fd = open_sized(path, &size, error);
	int code;

	if (fd < 0)
		return fd;
	/* Private: what a reader stores stays with us. */
	code = map(channel, fd, size, MAP_PRIVATE, error);
	close(fd);
	if (code)
		return error_prefix(error, code, "%s", path);
	code = region_find(channel->bytes, size, base, &offset, error);
	if (code) {
		memory_close(channel);
		return error_prefix(error, code, "%s", path);
	}
	channel->bytes = (uint8_t *)channel->bytes + offset;
	channel->size -= offset;
	return 0;
}
