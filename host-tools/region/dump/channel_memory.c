/* SPDX-License-Identifier: MIT */
/* A channel to memory that this process has mapped. */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "host-tools/region/shm/ivshmem_client.h"
#include "host-tools/region/shm/ivshmem_server.h"
#include "ringbuf/reader/ring_reader.h"
#include "writer/region/channel.h"
#include "writer/region/channel_word.h"

#define POLL_MS 1  /* between two polls without a doorbell */
#define LOOK_MS 20 /* with a doorbell: it does not ring for state or console */

struct memory {
	void *mapping; /* the mapping to unmap; NULL: none */
	size_t size;
	struct ivshmem_server *server; /* NULL: no doorbells */
	int listener;                  /* ivshmem_server_listen()'s; -1: none */
	struct ivshmem_client *client; /* NULL: not a client of a server */
	void (*release)(void *owner);  /* channel_memory_owned(); NULL: none */
	void *owner;
};

static int memory_refresh(struct channel *channel, struct error *error)
{
	(void)channel;
	(void)error;
	return 0;
}

static int memory_publish(struct channel *channel, uint64_t offset, const void *from, size_t size,
                          struct error *error)
{
	(void)error;
	channel_store((uint8_t *)channel->bytes + offset, from, size);
	return 0;
}

static int memory_clear(struct channel *channel, struct channel_bell *bells, size_t count,
                        struct error *error)
{
	(void)error;
	for (size_t i = 0; i < count; i++) {
		uint8_t *word = (uint8_t *)channel->bytes + bells[i].pending;

		bells[i].was_set = bells[i].pending && ring_reader_clear((uint32_t *)(void *)word);
	}
	return 0; /* the caller's own load of the heads is the refresh */
}

static void memory_wait(struct channel *channel)
{
	const struct memory *memory = channel->own;

	if (memory->client)
		ivshmem_client_wait(memory->client, LOOK_MS);
	else if (memory->listener >= 0)
		ivshmem_wait(memory->listener);
	else
		poll(NULL, 0, POLL_MS);
}

static bool memory_rung(struct channel *channel, uint32_t vector, uint64_t *count)
{
	const struct memory *memory = channel->own;

	*count = memory->server ? ivshmem_server_rung(memory->server, vector) : 0;
	return memory->server;
}

static void memory_close(struct channel *channel)
{
	struct memory *memory = channel->own;

	if (memory->mapping)
		munmap(memory->mapping, memory->size);
	if (memory->listener >= 0)
		close(memory->listener);
	ivshmem_client_close(memory->client);
	if (memory->release)
		memory->release(memory->owner);
	free(memory);
	memset(channel, 0, sizeof(*channel));
}

static const struct channel_ops memory_ops = {
	.name = "memory",
	.refresh = memory_refresh,
	.publish = memory_publish,
	.clear = memory_clear,
	.wait = memory_wait,
	.rung = memory_rung,
	.close = memory_close,
};

int channel_open_memory(struct channel *channel, void *bytes, size_t size, bool live,
                        struct error *error)
{
	struct memory *memory = malloc(sizeof(*memory));

	*channel = (struct channel){ 0 };
	if (!memory)
		return error_set(error, -ENOMEM, "no memory for a channel");
	*memory = (struct memory){ .listener = -1 };
	*channel =
	    (struct channel){ .ops = &memory_ops, .bytes = bytes, .size = size, .live = live };
	channel->own = memory;
	return 0;
}

void channel_memory_owned(struct channel *channel, void (*release)(void *owner), void *owner)
{
	struct memory *memory = channel->own;

	memory->release = release;
	memory->owner = owner;
}

static int map(struct channel *channel, int fd, size_t size, struct error *error)
{
	void *at = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	struct memory *memory;
	int code;

	*channel = (struct channel){ 0 };
	if (at == MAP_FAILED)
		return error_errno(error, "mapping 0x%zx bytes", size);
	code = channel_open_memory(channel, at, size, true, error);
	if (code) {
		munmap(at, size);
		return code;
	}
	memory = channel->own;
	memory->mapping = at;
	memory->size = size;
	return 0;
}

int channel_open_shared(struct channel *channel, int fd, size_t size, struct ivshmem_server *server,
                        struct error *error)
{
	int code = map(channel, fd, size, error);
	struct memory *memory = channel->own;

	if (code || !server || server->socket < 0)
		return code;
	memory->server = server;
	channel->peer = IVSHMEM_SUPERVISOR;
	memory->listener = ivshmem_server_listen(server);
	if (memory->listener >= 0)
		return 0;
	code = error_errno(error, "listening to doorbells");
	memory_close(channel);
	return code;
}

int channel_open_peer(struct channel *channel, struct ivshmem_client *client, struct error *error)
{
	int code = map(channel, client->memory_fd, client->memory_size, error);
	struct memory *memory = channel->own;

	if (code)
		return code;
	memory->client = client;
	channel->peer = client->id;
	return 0;
}
