/* SPDX-License-Identifier: MIT */
/* `bareperf noise`: each CPU's gaps. */
#ifndef HOST_TOOLS_BENCH_NOISE_H
#define HOST_TOOLS_BENCH_NOISE_H

/* Runs the subcommand. Returns the exit status. Main thread. */
int command_noise(int argc, char **argv);

#endif
