/* SPDX-License-Identifier: MIT */
/*
 * The place of the trace region and the way to wake its reader: one struct of operations for each
 * place. If the reader cannot see the memory, a line (channel/lines.h) carries the region's bytes
 * out of the machine, from any place.
 *
 * A channel takes what it needs of the machine from struct channel_services alone.
 */
#ifndef CHANNEL_CHANNEL_H
#define CHANNEL_CHANNEL_H

#include <stdbool.h>
#include <stdint.h>

#include "arch/arch.h"
#include "channel/lines.h"

/* The services that a channel may use while it opens: the firmware's, as our functions. All are
 * thread context. */
struct channel_services {
	/* RAM that is nobody else's, not zeroed: size bytes (a multiple of 4096) at a multiple of
	 * align (a power of two), identity mapped; NULL if there is not as much. */
	void *(*alloc)(uint64_t size, uint64_t align);
	/* Have this range mapped from arch_take_over() on. 0 or -ENOSPC. */
	int (*map)(uint64_t address, uint64_t size, enum arch_map_type type);
	/* The first PCI function with this vendor (low 16 bits) and device id, or NULL. */
	void *(*pci_find)(uint32_t id);
	/* Of its configuration space, 1, 2 or 4 bytes at offset; 0 where they cannot be read. */
	uint32_t (*pci_read)(void *device, uint32_t offset, unsigned bytes);
	/* Where the memory of a BAR lies. 0 or -EIO. */
	int (*pci_bar)(void *device, unsigned number, uint64_t *address, uint64_t *size);
	/* Have it answer at its memory BARs; at those in I/O space. 0 or -EIO. */
	int (*pci_enable_memory)(void *device);
	int (*pci_enable_io)(void *device);
	/* The function number n, from 0, of this class and subclass (class << 8 | subclass), or
	 * NULL. */
	void *(*pci_find_class)(uint32_t class, unsigned n);
};

/* Memory for the trace region, and what stands beside it. */
struct channel {
	const struct channel_ops *ops;
	void *memory;     /* identity mapped, write-back, page aligned */
	uint64_t size;    /* bytes */
	uint64_t address; /* physical, of memory */
	/* Its doorbell: how many readers can be told apart. 0: none can be told, all poll. */
	uint32_t vectors;
	volatile uint32_t *doorbell; /* the channel's own */
	/* Address of the code that notify() executes and nothing else does, for a debugger's
	 * breakpoint; 0: none. */
	uint64_t breakpoint;
	struct lines *lines; /* that move its bytes, wherever it lies; NULL: there are none */
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
	int (*open)(struct channel *channel, const struct channel_services *services, uint64_t ram);
	/* Wake the reader that waits for vector, below channel->vectors, of a struct channel that
	 * has any: one store to device memory. Any context, after arch_take_over(). */
	void (*notify)(void *channel, uint32_t vector);
};

extern const struct channel_ops channel_ivshmem, channel_memory;

/* Open the first channel that the machine has: ivshmem, then plain memory, of ram bytes (0: the
 * default). 0, or the error of the last one tried. With the firmware's services. */
int channel_open(struct channel *channel, const struct channel_services *services, uint64_t ram);

/* Have its lines move what they can, wherever the region lies: who waits for commands calls this as
 * often as they look. Any context, after arch_take_over(). */
static inline void channel_pump(struct channel *channel)
{
	if (channel->lines)
		lines_pump(channel->lines);
}

/* The same for every traced CPU, once in each tick, whose account the time is in. */
static inline void channel_tick(struct channel *channel)
{
	if (channel->lines)
		lines_tick(channel->lines);
}

#endif
