/* SPDX-License-Identifier: MIT */
#include "agent/next_command.h"

#include "agent/serial.h"
#include "agent/typed.h"
#include "lib/syscalls.h"
#include "pmu/clock.h"

bool next_command(struct trace_region *region, struct channel *channel,
                  struct mailbox_request *request)
{
	region->header->heap = syscalls_heap_used();
	trace_region_set_state(region, TR_IDLE);
	for (;;) {
		if (mailbox_poll(region, request))
			return false;
		if (serial_is_there(channel) && lines_take_typed(channel->lines, request->text))
			return true;
		if (typed_take(request->text))
			return true;
		trace_region_beat(region, clock_steady());
		channel_pump(channel);
		arch_relax();
	}
}
