/* SPDX-License-Identifier: MIT */
/*
 * The host's end of a debug channel: the trace region as bytes in this process's memory, and all
 * operations on the machine at the other end. No other code waits for the machine, or writes a word
 * that the machine reads.
 *
 * bytes is the machine's own memory, or a mirror that refresh() fills through a cable. Readers see
 * no difference, since a mirror keeps this order:
 *
 *	machine				channel				reader
 *	records, tables, text		shown words, into its own	sees a shown word,
 *	shown words, release ─────────▶	  memory, acquire		acquire
 *					all that they promise,		reads what it promises
 *					  into bytes
 *					shown words into bytes,
 *					  release ────────────────────▶
 *
 * The shown words are magic, state, the mailbox's reply, the console's and the streams' heads and
 * each ring's data_head and aux_head. Of the first, magic and state are fetched before everything
 * else, and data_head before aux_head: a record's AUX area is there when the record is. Each is
 * shown as the machine published it, so that a head lies behind a whole record, however few bytes a
 * refresh() brings; and in the order heads, state, reply, magic. Of an overwritable ring, bytes and
 * head are of one moment.
 *
 * HOST words (docs/trace-region.md) are in bytes as the machine has them, except those that were
 * published and are still on their way: these stay as they were published.
 */
#ifndef WRITER_REGION_CHANNEL_H
#define WRITER_REGION_CHANNEL_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "writer/util/error.h"

struct channel;
struct ivshmem_client;
struct ivshmem_server;

/* A doorbell (struct tr_doorbell) to clear. */
struct channel_bell {
	uint64_t pending; /* the word's offset in the region; 0: skip this doorbell */
	bool was_set;     /* channel_clear(): it had been rung */
};

/* A time at which the machine was stopped to be read. */
struct channel_stop {
	uint64_t time; /* ns of the machine's clock, at its last heartbeat before it; 0: unknown */
	uint64_t at;   /* ns of ours (CLOCK_MONOTONIC), as it began */
	uint64_t length; /* ns of ours */
};

/*
 * The operations of a channel. One thread of a process calls them, except publish, which any thread
 * may call at the same time. A process and its children may each use a channel at the same time;
 * each then has its own mirror. A negative errno means that the channel is gone, and error has the
 * reason; bytes keep their last content.
 */
struct channel_ops {
	const char *name;
	int (*refresh)(struct channel *channel, struct error *error);
	int (*publish)(struct channel *channel, uint64_t offset, const void *from, size_t size,
	               struct error *error);
	int (*clear)(struct channel *channel, struct channel_bell *bells, size_t count,
	             struct error *error);
	void (*wait)(struct channel *channel);
	bool (*rung)(struct channel *channel, uint32_t vector, uint64_t *count);
	bool (*stop)(struct channel *channel, struct channel_stop *stop); /* NULL: never stopped */
	uint64_t (*backlog)(const struct channel *channel);               /* NULL: always 0 */
	void (*close)(struct channel *channel);
};

struct channel {
	const struct channel_ops *ops; /* NULL: not open */
	void *bytes; /* page aligned; for region_open() alone, since they change under our eyes */
	size_t size;
	bool live; /* a machine is at the other end */
	void *own; /* of the ops */
	/* Implements channel_force_stop() with this cable; NULL: not possible. */
	int (*force)(void *cable, uint64_t own, uint64_t own_size, struct error *error);
	void *cable;
	uint32_t peer; /* the reader's word in the region (struct tr_reader) */
	/* Set by the caller for the last refresh, or to read the ledgers. The refresh then brings
	 * the parts that wait for the end of a run, too: the newest ledgers, and overwritable rings
	 * if the machine can be stopped. */
	bool is_last;
};

/* Bring bytes up to date. 1: the refresh is not complete, call again; each call moves a bounded
 * amount, so that the caller can do other work. 0: bytes have everything that the machine had
 * published at the first call after the last 0. */
static inline int channel_refresh(struct channel *channel, struct error *error)
{
	return channel->ops->refresh(channel, error);
}

/*
 * Store size bytes into the region at offset: a HOST word of 4 or 8 bytes, or the mailbox's text.
 * A word arrives whole, and not before an earlier read or published word. It may be late:
 * words wait for the next of these calls, and one that is published again meanwhile may arrive
 * once, with the later value and in the later one's turn.
 */
static inline int channel_publish(struct channel *channel, uint64_t offset, const void *from,
                                  size_t size, struct error *error)
{
	return channel->ops->publish(channel, offset, from, size, error);
}

/*
 * The reader's half of the wakeup handshake: clear these doorbells in the machine's memory, report
 * which were set, and then read all heads again, as channel_refresh() does and with its
 * result. After a 1 call that until it returns 0. A reader that has then read up to the heads
 * misses no record: later records ring, and records that did not ring lie before the heads.
 */
static inline int channel_clear(struct channel *channel, struct channel_bell *bells, size_t count,
                                struct error *error)
{
	return channel->ops->clear(channel, bells, count, error);
}

/* Sleep until there may be more than was brought: a doorbell has rung since the last return, or
 * some time has passed where the channel has none. All that was published is on its way before
 * that. It may return sooner, and does so at once if channel_refresh()'s last result was 1. */
static inline void channel_wait(struct channel *channel)
{
	channel->ops->wait(channel);
}

/* How often doorbell `vector` was rung since the last call. False: the channel does not count. */
static inline bool channel_rung(struct channel *channel, uint32_t vector, uint64_t *count)
{
	return channel->ops->rung(channel, vector, count);
}

/* The oldest ended stop that no call has returned yet. False: there is none. */
static inline bool channel_stop(struct channel *channel, struct channel_stop *stop)
{
	return channel->ops->stop && channel->ops->stop(channel, stop);
}

/*
 * End the recording of a machine that does not respond, by the CPU's registers.
 * The machine hangs as before afterwards. own, own_size: addresses of the firmware's own code,
 * within which it must not be interrupted. 0: its state says that it has ended; -ENOTSUP: not by
 * this channel, or not this machine; -EAGAIN: it is in its own code; -ETIMEDOUT: the recording did
 * not end in time.
 */
static inline int channel_force_stop(struct channel *channel, uint64_t own, uint64_t own_size,
                                     struct error *error)
{
	if (channel->force)
		return channel->force(channel->cable, own, own_size, error);
	return error_set(error, -ENOTSUP, "only a debugger can do that (--channel gdb:…)");
}

/* Whether a machine can make more than it brings: it copies, through a cable. */
static inline bool channel_can_be_slow(const struct channel *channel)
{
	return channel->ops->backlog;
}

/* Bytes of records, AUX areas and text that the look under way has yet to bring. */
static inline uint64_t channel_backlog(const struct channel *channel)
{
	return channel->ops->backlog ? channel->ops->backlog(channel) : 0;
}

/*
 * The one exception to these rules: region_salvage.c stores into the bytes of a machine that was
 * reset. NULL: a machine is at the other end, and reads them.
 */
static inline void *channel_bytes_to_salvage(const struct channel *channel)
{
	return channel->live ? NULL : channel->bytes;
}

/* Free the channel's resources, after published words have arrived. Does nothing if it is not open.
 */
static inline void channel_close(struct channel *channel)
{
	if (channel->ops)
		channel->ops->close(channel);
}

/* Shared memory that a machine writes to while we read: maps size bytes of fd, which stays the
 * caller's, as does server, whose doorbells the machine rings; NULL, or one that does not serve:
 * it rings none. */
int channel_open_shared(struct channel *channel, int fd, size_t size, struct ivshmem_server *server,
                        struct error *error);

/* The same of the memory that an ivshmem server of somebody else's has handed to us as a client,
 * which the channel closes in the end. On failure it stays the caller's. */
int channel_open_peer(struct channel *channel, struct ivshmem_client *client, struct error *error);

/* Selects a region if a file contains several. */
struct channel_file_options {
	uint64_t base;    /* physical address of a raw dump's first byte; UINT64_MAX: unknown */
	uint64_t nonce;   /* nonce of the region, if has_nonce */
	uint64_t address; /* address in its header, if has_address */
	bool has_nonce, has_address;
};
#define CHANNEL_ANY_FILE              \
	(struct channel_file_options) \
	{                             \
		.base = UINT64_MAX    \
	}

/* A file that holds a region, or a bigger memory dump with one inside, of any kind that
 * memory_dump.h knows. The file is not written to. -EINVAL: error lists several. */
int channel_open_file(struct channel *channel, const char *path,
                      const struct channel_file_options *pick, struct error *error);

/* Memory of this process that is a region already, and stays the caller's. -ENOMEM. */
int channel_open_memory(struct channel *channel, void *bytes, size_t size, bool live,
                        struct error *error);

/* For the same channel: call release(owner) when it is closed. */
void channel_memory_owned(struct channel *channel, void (*release)(void *owner), void *owner);

/* The same for a region whose machine has ended. No byte is changed, so that the region can be read
 * again: published words are discarded. -ENOMEM. */
int channel_open_still(struct channel *channel, const void *bytes, size_t size,
                       struct error *error);

#endif
