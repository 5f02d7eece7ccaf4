/* SPDX-License-Identifier: MIT */
#include "agent/machine_command.h"

#include "agent/bench/bench.h"
#include "agent/list.h"
#include "agent/selftest/noise.h"
#include "agent/selftest/selftest.h"

int machine_command_run(struct command *command, struct trace_region *region,
                        struct channel *channel)
{
	switch (command->verb) {
	case COMMAND_BENCH:
		return bench_command(command, region, channel);
	case COMMAND_NOISE:
		return noise_run(command, region, channel);
	case COMMAND_SELFTEST:
		if (selftest_run(command, region))
			command->then = THEN_REBOOT;
		return 0;
	default:
		list_print(channel);
		trace_region_set_state(region, TR_COMPLETE);
		return 0;
	}
}
