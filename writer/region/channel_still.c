/* SPDX-License-Identifier: MIT */
/* The channel to a region that no program writes to any more, and that does not change. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "writer/region/channel.h"

/* Whether the doorbells were checked; afterwards they count as cleared. */
struct still {
	bool cleared;
};

static int still_refresh(struct channel *channel, struct error *error)
{
	(void)channel;
	(void)error;
	return 0;
}

static int still_publish(struct channel *channel, uint64_t offset, const void *from, size_t size,
                         struct error *error)
{
	(void)channel;
	(void)offset;
	(void)from;
	(void)size;
	(void)error;
	return 0;
}

static int still_clear(struct channel *channel, struct channel_bell *bells, size_t count,
                       struct error *error)
{
	struct still *still = channel->own;

	(void)error;
	for (size_t i = 0; i < count; i++) {
		uint32_t pending = 0;

		if (bells[i].pending)
			memcpy(&pending, (uint8_t *)channel->bytes + bells[i].pending,
			       sizeof(pending));
		bells[i].was_set = pending && !still->cleared;
	}
	still->cleared = true;
	return 0;
}

static void still_wait(struct channel *channel)
{
	(void)channel;
}

static bool still_rung(struct channel *channel, uint32_t vector, uint64_t *count)
{
	(void)channel;
	(void)vector;
	*count = 0;
	return false;
}

static void still_close(struct channel *channel)
{
	free(channel->own);
	memset(channel, 0, sizeof(*channel));
}

static const struct channel_ops still_ops = {
	.name = "still",
	.refresh = still_refresh,
	.publish = still_publish,
	.clear = still_clear,
	.wait = still_wait,
	.rung = still_rung,
	.close = still_close,
};

int channel_open_still(struct channel *channel, const void *bytes, size_t size, struct error *error)
{
	struct still *still = calloc(1, sizeof(*still));

	*channel = (struct channel){ 0 };
	if (!still)
		return error_set(error, -ENOMEM, "no memory for a channel");
	channel->ops = &still_ops;
	channel->bytes = (void *)(uintptr_t)bytes;
	channel->size = size;
	channel->own = still;
	return 0;
}
