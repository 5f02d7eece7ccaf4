/* SPDX-License-Identifier: MIT */
/*
 * A channel gives the trace region its memory and wakes the region's reader. Each kind of channel
 * is one struct of operations. If the reader cannot see the memory, a serial line (channel/lines.h)
 * carries the region's bytes out of the machine; this works with every channel.
 *
 * A channel reaches the machine only through struct channel_services.
 */
#ifndef CHANNEL_CHANNEL_H
#define CHANNEL_CHANNEL_H

#include <stdbool.h>
#include <stdint.h>

#include "arch/arch.h"
#include "channel/lines.h"

/* The firmware's services that a channel may use while it opens, as functions of ours. All are
 * thread context. */
struct channel_services {
	/* Allocates RAM for this channel only, not zeroed, identity mapped: size bytes (a multiple
	 * of 4096) at a multiple of align (a power of two). NULL if not enough RAM is free. */
	void *(*alloc)(uint64_t size, uint64_t align);
	/* Requests that this range is mapped from arch_take_over() on. 0 or -ENOSPC. */
	int (*map)(uint64_t address, uint64_t size, enum arch_map_type type);
	/* Returns the first PCI function with this vendor (low 16 bits) and device id, or NULL. */
	void *(*pci_find)(uint32_t id);
	/* Reads 1, 2 or 4 bytes at offset of a PCI function's configuration space; 0 if the read
	 * fails. */
	uint32_t (*pci_read)(void *device, uint32_t offset, unsigned bytes);
	/* Returns the address of a BAR's memory. 0 or -EIO. */
	int (*pci_bar)(void *device, unsigned number, uint64_t *address, uint64_t *size);
	/* Enables a PCI function's memory BARs; the second enables its BARs in I/O space. 0 or
	 * -EIO. */
	int (*pci_enable_memory)(void *device);
	int (*pci_enable_io)(void *device);
	/* Returns PCI function number n, from 0, of this class and subclass (class << 8 |
	 * subclass), or NULL. */
	void *(*pci_find_class)(uint32_t class, unsigned n);
};

/* The memory for the trace region, and the means to wake its reader. */
struct channel {
	const struct channel_ops *ops;
	void *memory;     /* identity mapped, write-back, page aligned */
	uint64_t size;    /* bytes */
	uint64_t address; /* physical address of memory */
	/* The number of readers that the doorbell can wake separately. 0: no doorbell; all readers
	 * poll. */
	uint32_t vectors;
	volatile uint32_t *doorbell; /* the doorbell register */
	/* Address of code that only notify() executes, for a debugger's breakpoint; 0: none. */
	uint64_t breakpoint;
	struct lines *lines; /* the serial lines that carry the region's bytes; NULL: none */
};

struct channel_ops {
	const char *name;
	const char *description; /* for `list`, one line */
	/* in this machine's RAM: bareperf chooses the size, and a reset may lose the content */
	bool in_ram;
	/*
	 * Finds the channel and sets memory, size and address. ram: bytes to allocate, if the
	 * channel can choose; a multiple of 4096; 0: the channel's default. Needs the firmware's
	 * services. 0; -ENODEV: this machine has no such channel; -ENOMEM; -EIO: the device does
	 * not work.
	 */
	int (*open)(struct channel *channel, const struct channel_services *services, uint64_t ram);
	/* Wakes the reader that waits for vector (vector < channel->vectors) by one store to device
	 * memory. Only for a channel with vectors. Any context, after arch_take_over(). */
	void (*notify)(void *channel, uint32_t vector);
};

extern const struct channel_ops channel_ivshmem, channel_memory;

/* Opens the first channel that the machine has: ivshmem, else plain memory of ram bytes (0: the
 * default). 0, or the error of the last channel tried. Needs the firmware's services. */
int channel_open(struct channel *channel, const struct channel_services *services, uint64_t ram);

/* Moves bytes on the serial lines, if the machine has any. A CPU that waits for commands calls this
 * each time it polls. Any context, after arch_take_over(). */
static inline void channel_pump(struct channel *channel)
{
	if (channel->lines)
		lines_pump(channel->lines);
}

/* The same for a tick. Each traced CPU calls this once in each tick; the time counts as the tick's.
 */
static inline void channel_tick(struct channel *channel)
{
	if (channel->lines)
		lines_tick(channel->lines);
}

#endif
