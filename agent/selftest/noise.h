/* SPDX-License-Identifier: MIT */
/* The command noise: the gaps of each CPU, as `rtla hwnoise` counts them. */
#ifndef AGENT_SELFTEST_NOISE_H
#define AGENT_SELFTEST_NOISE_H

#include "channel/channel.h"
#include "command/command.h"
#include "ringbuf/region_writer.h"

/* Watch the command's CPUs and print the table. 0; -EINVAL: there is no such CPU, or -ENOMEM: the
 * region's message has the reason, and the region's state is TR_FAILED. Thread of the boot CPU,
 * interrupts masked. */
int noise_run(const struct command *command, struct trace_region *region, struct channel *channel);

#endif
