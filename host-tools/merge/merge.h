/* SPDX-License-Identifier: MIT */
/* `bareperf merge`: recordings of several machines as one perf.data. */
#ifndef HOST_TOOLS_MERGE_MERGE_H
#define HOST_TOOLS_MERGE_MERGE_H

/* The subcommand; argv[0] is its name. Returns its exit status. Main thread. */
int command_merge(int argc, char **argv);

#endif
