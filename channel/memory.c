/* SPDX-License-Identifier: MIT */
/*
 * Plain memory, for a reader that gets at RAM from outside: a debug probe, GDB, a
 * dump of the machine. The region is found by its printed address or its magic. Nobody can be
 * told anything here, but a debugger can have a breakpoint where we would tell it.
 */
#include <errno.h>

#include "abi/trace_region.h"
#include "channel/channel.h"

#define DEFAULT_SIZE (16ULL << 20)

/* A call and a return where there is no breakpoint. */
static __attribute__((noinline)) void bareperf_notify(void *channel, uint32_t vector)
{
	(void)channel;
	(void)vector;
}

static int memory_open(struct channel *channel, const struct channel_services *services,
                       uint64_t ram)
{
	channel->size = ram ? ram : DEFAULT_SIZE;
	channel->memory = services->alloc(channel->size, TR_ALIGN);
	if (!channel->memory)
		return -ENOMEM;
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
