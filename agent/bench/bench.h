/* SPDX-License-Identifier: MIT */
/* The command bench: microbenchmarks for a host (lib/bench/bench.h). */
#ifndef AGENT_BENCH_BENCH_H
#define AGENT_BENCH_BENCH_H

#include "channel/channel.h"
#include "command/command.h"
#include "ringbuf/region_writer.h"

/*
 * Take piece N of M of a request. The first piece forgets an earlier request; with the last one the
 * request is carried out, and the result sent to the announced reader. Returns 0: also if the
 * result is an error, which it says; -EINVAL: the piece is none, and region's message has the
 * reason; -ENODEV: no reader is announced, or there is no memory. Thread.
 */
int bench_command(const struct command *command, struct trace_region *region,
                  struct channel *channel);

#endif
