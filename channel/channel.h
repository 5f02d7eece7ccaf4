/* SPDX-License-Identifier: MIT */
/*
 * Where the trace region lies and how its reader is called: one struct of operations
 * for each way that leads out of the machine.
 */
#ifndef CHANNEL_CHANNEL_H
#define CHANNEL_CHANNEL_H

#include <stdbool.h>
#include <stdint.h>

/* Memory for the trace region, and what stands beside it. */
struct channel {
	const struct channel_ops *ops;
	void *memory;     /* identity mapped, write-back, page aligned */
	uint64_t size;    /* bytes */
	uint64_t address; /* physical, of memory */
	/* Its doorbell: how many readers can be told apart. 0: none can be told, all poll. */
	uint32_t vectors;
	volatile uint32_t *doorbell; /* the channel's own */
};

struct channel_ops {
	const char *name;
	const char *description; /* for `list`, one line */
	bool in_ram; /* of this machine: its size is ours to choose, and a reset forgets it */
	/*
	 * Find the channel and fill memory, size and address. ram: how many bytes to take where
	 * that is open, a multiple of 4096; 0: as it likes. With the firmware's services.
	 * 0; -ENODEV: this machine has none; -ENOMEM; -EIO: it is there but does not work.
	 */
	int (*open)(struct channel *channel, uint64_t ram);
	/* Wake the reader that waits for vector, below channel->vectors, of a struct channel that
	 * has any: one store to device memory. Any context, after arch_take_over(). */
	void (*notify)(void *channel, uint32_t vector);
};

extern const struct channel_ops channel_ivshmem, channel_memory;

/* Open the first channel that the machine has: ivshmem, then plain memory, of ram bytes (0: the
 * default). 0, or the error of the last one tried. With the firmware's services. */
int channel_open(struct channel *channel, uint64_t ram);

#endif
