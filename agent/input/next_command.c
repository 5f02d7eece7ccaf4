/* SPDX-License-Identifier: MIT */
#include "agent/input/next_command.h"

#include "agent/input/keyboard_line.h"
#include "agent/serial.h"
#include "lib/syscalls.h"
#include "lib/watchdog.h"
#include "pmu/clock/clock.h"
#include "pmu/tick.h"

#define REST_AFTER_NS 100000000U

static void next_command_tick(struct tick *tick, const struct arch_regs *regs)
{
	(void)tick;
	(void)regs;
}

/* Sleep until the next tick or another interrupt: a command in memory is seen at most 1 ms later, a
 * line's first bytes as lines_tick() describes. */
static void next_command_rest(void)
{
	arch_irq_enable();
	arch_wait();
	arch_irq_disable();
}

static bool next_command_await_command(struct trace_region *region, struct channel *channel,
                                       struct mailbox_request *request)
{
	uint64_t began = clock_steady();

	for (;;) {
		uint64_t now = clock_steady();

		if (mailbox_poll(region, request))
			return false;
		if (serial_is_there(channel) && lines_take_typed(channel->lines, request->text))
			return true;
		if (keyboard_line_take(request->text))
			return true;
		trace_region_beat(region, now);
		watchdog_serve(now);
		channel_pump(channel);
		if (channel->lines && !lines_may_rest(channel->lines))
			began = now;
		if (now - began > REST_AFTER_NS)
			next_command_rest();
		else
			arch_relax();
	}
}

bool next_command(struct trace_region *region, struct channel *channel,
                  struct mailbox_request *request)
{
	static struct tick tick;
	bool typed;

	region->header->heap = syscalls_heap_used();
	trace_region_set_state(region, TR_IDLE);
	tick_start(&tick, next_command_tick);
	typed = next_command_await_command(region, channel, request);
	tick_stop(&tick);
	return typed;
}
