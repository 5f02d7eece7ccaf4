/* SPDX-License-Identifier: MIT */
/*
 * The host's end of a debug channel: whatever carries it, the reader above sees
 * the trace region as bytes in its own address space. A channel whose bytes are
 * the machine's own memory has little to do; one that copies keeps them up to date.
 */
#ifndef HOST_TOOLS_REGION_CHANNEL_H
#define HOST_TOOLS_REGION_CHANNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "host-tools/util/error.h"

struct channel;

struct channel_ops {
	const char *name;
	/* Bring what the firmware writes up to date in bytes. 0, or why the channel is gone. */
	int (*refresh)(struct channel *channel, struct error *error);
	/* The reader has stored one of the HOST words in bytes: let the firmware have it. */
	int (*publish)(struct channel *channel, uint64_t offset, size_t size, struct error *error);
	void (*close)(struct channel *channel);
};

struct channel {
	const struct channel_ops *ops;
	void *bytes; /* page aligned; for region_open() alone, since they change under our eyes */
	size_t size;
	bool live;     /* a machine is at the other end */
	void *mapping; /* of the memory channel: what to unmap */
	size_t mapping_size;
};

/* Shared memory that a machine writes to while we read: maps size bytes of fd, which stays the
 * caller's. */
int channel_open_shared(struct channel *channel, int fd, size_t size, struct error *error);

/* A file that holds a region, or a bigger memory dump with one inside: bytes begins at the
 * region. base is the physical address of the file's first byte, UINT64_MAX: unknown. The file
 * is not written to. */
int channel_open_file(struct channel *channel, const char *path, uint64_t base,
                      struct error *error);

#endif
