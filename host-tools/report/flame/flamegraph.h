/* SPDX-License-Identifier: MIT */
#ifndef HOST_TOOLS_REPORT_FLAME_FLAMEGRAPH_H
#define HOST_TOOLS_REPORT_FLAME_FLAMEGRAPH_H

/* Run `bareperf flamegraph`; argv[0] is its name. Returns the exit status. Main thread. */
int command_flamegraph(int argc, char **argv);

#endif
