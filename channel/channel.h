/* SPDX-License-Identifier: MIT */
/*
 * Where the trace region lies, how its reader is called, and what takes its bytes out of the
 * machine where the reader does not see memory itself: one struct of operations for each way that
 * leads out.
 *
 * A channel takes what it needs of the machine from struct channel_services alone.
 */
#ifndef CHANNEL_CHANNEL_H
#define CHANNEL_CHANNEL_H

#include <stdbool.h>
#include <stdint.h>

#include "arch/arch.h"

/* What a channel may ask for while it opens: the firmware's services, in our words. All are
 * thread context. */
struct channel_services {
	/* Zeroed RAM that is nobody else's: size bytes (a multiple of 4096) at a multiple of align
	 * (a power of two), identity mapped; NULL if there is not as much. */
	void *(*alloc)(uint64_t size, uint64_t align);
	/* Have this range mapped from arch_take_over() on. 0 or -ENOSPC. */
	int (*map)(uint64_t address, uint64_t size, enum arch_map_type type);
	/* The first PCI function with this vendor (low 16 bits) and device id, or NULL. */
	void *(*pci_find)(uint32_t id);
	/* Of its configuration space, 1, 2 or 4 bytes at offset; 0 where they cannot be read. */
	uint32_t (*pci_read)(void *device, uint32_t offset, unsigned bytes);
	/* Where the memory of a BAR lies. 0 or -EIO. */
	int (*pci_bar)(void *device, unsigned number, uint64_t *address, uint64_t *size);
	/* Have it answer at its memory BARs. 0 or -EIO. */
	int (*pci_enable_memory)(void *device);
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
	uint32_t pumping; /* a CPU is in pump() */
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
	/*
	 * Where the reader sees memory only through a line: give that line as many bytes as it
	 * takes without waiting, CHANNEL_PUMP_BYTES at most, and take as many from it. NULL: the
	 * reader sees memory. IRQ (a traced CPU's tick) or thread, never nested in itself, never on
	 * two CPUs at a time; general registers only and no libc.
	 */
	void (*pump)(struct channel *channel);
};

/* What a call of pump() moves at most, each way: what the FIFOs of customary UARTs hold. */
#define CHANNEL_PUMP_BYTES 64U

extern const struct channel_ops channel_ivshmem, channel_memory;

/* Open the first channel that the machine has: ivshmem, then plain memory, of ram bytes (0: the
 * default). 0, or the error of the last one tried. With the firmware's services. */
int channel_open(struct channel *channel, const struct channel_services *services, uint64_t ram);

/* Have the channel pump, if it is one that does and no other CPU is at it: it waits for nobody.
 * Every traced CPU calls this once in each tick, whose account the time is in, and who waits for
 * commands as often as they look. IRQ or thread, after arch_take_over(). */
static inline void channel_pump(struct channel *channel)
{
	if (!channel->ops->pump || arch_exchange(&channel->pumping, 1) != 0)
		return;
	channel->ops->pump(channel);
	__atomic_store_n(&channel->pumping, 0, __ATOMIC_RELEASE);
}

#endif
