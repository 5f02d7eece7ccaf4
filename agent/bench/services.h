/* SPDX-License-Identifier: MIT */
/* The command `bench --uefi`: the cost of the firmware's services. */
#ifndef AGENT_BENCH_SERVICES_H
#define AGENT_BENCH_SERVICES_H

#include "command/command.h"

/* Measure, print the report (text, or JSON), and write both as \bareperf\NNNN-uefi.txt and .json to
 * the boot volume, if there is one. Returns 0, -ENOMEM or volume_write_text()'s errno, and prints
 * the reason. The firmware continues. Boot services only. Thread. */
int services_bench(const struct command *command);

#endif
