/* SPDX-License-Identifier: MIT */
/*
 * Plain memory, for a reader that can access RAM from outside: a debug probe, GDB, a memory dump.
 * The reader finds the region by its printed address or its magic. No reader can be notified, but a
 * debugger can set a breakpoint on the function that would notify it.
 */
#include <errno.h>
#include <stddef.h>

#include "abi/trace_region.h"
#include "channel/channel.h"

#define DEFAULT_SIZE (16ULL << 20)

/* Costs only a call and a return without a breakpoint. */
static __attribute__((noinline)) void bareperf_notify(void *channel, uint32_t vector)
{
	(void)channel;
	(void)vector;
}

/* Clears as little as possible, because the memory is large: region and rings clear the rest later.
 * But a reader may be announced before that. An old header in this memory must not look like a
 * region; a region lies at a multiple of TR_ALIGN. */
static void memory_forget(uint8_t *memory, uint64_t size)
{
	volatile uint8_t *reader = memory + offsetof(struct tr_header, reader);

	for (uint64_t i = 0; i < sizeof(struct tr_reader); i++)
		reader[i] = 0; /* volatile, or gcc calls memset() */
	for (uint64_t at = 0; at < size; at += TR_ALIGN)
		((struct tr_header *)(void *)(memory + at))->magic = 0;
}

static int memory_open(struct channel *channel, const struct channel_services *services,
                       uint64_t ram)
{
	channel->size = ram ? ram : DEFAULT_SIZE;
	channel->memory = services->alloc(channel->size, TR_ALIGN);
	if (!channel->memory)
		return -ENOMEM;
	memory_forget(channel->memory, channel->size);
	channel->address = (uintptr_t)channel->memory;
	channel->vectors = 1;
	channel->breakpoint = (uintptr_t)bareperf_notify;
	return 0;
}

const struct channel_ops channel_memory = {
	.name = "memory",
	.description = "this machine's RAM, for a debug probe or a memory dump",
	.in_ram = true,
	.open = memory_open,
	.notify = bareperf_notify,
};
