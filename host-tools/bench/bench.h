/* SPDX-License-Identifier: MIT */
#ifndef HOST_TOOLS_BENCH_BENCH_H
#define HOST_TOOLS_BENCH_BENCH_H

/* `bareperf bench`: measure a snippet, as nanoBench does, on a bare machine. Returns the exit
 * status: EXIT_OK; EXIT_ERROR: the machine refused the snippet, or it ended with an exception;
 * RUN_ERROR, RUN_REFUSED, RUN_SIGNAL and above. */
int command_bench(int argc, char **argv);

#endif
