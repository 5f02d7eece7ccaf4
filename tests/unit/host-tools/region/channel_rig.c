/* SPDX-License-Identifier: MIT */
#include "tests/unit/host-tools/region/channel_rig.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "abi/trace_region.h"

bool channel_rig_copies;
struct copying_options channel_rig_copying = { .piece = 16384 };

void channel_rig_open(struct channel *channel, int fd, size_t size, struct ivshmem_server *server)
{
	struct error error = { "" };

	assert_int_equal(channel_open_shared(channel, fd, size, server, &error), 0);
	if (channel_rig_copies && size % TR_PAGE == 0)
		assert_int_equal(copying_channel_wrap(channel, &channel_rig_copying, &error), 0);
}

void channel_rig_bring(struct channel *channel)
{
	struct error error = { "" };
	int code;

	channel->is_last = true; /* bring everything, including data that may be late */
	do {
		code = channel_refresh(channel, &error);
	} while (code > 0);
	channel->is_last = false;
	assert_int_equal(code, 0);
}

void channel_rig_deliver(void)
{
	if (channel_rig_copies)
		copying_channel_deliver();
}
