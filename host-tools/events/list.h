/* SPDX-License-Identifier: MIT */
#ifndef HOST_TOOLS_EVENTS_LIST_H
#define HOST_TOOLS_EVENTS_LIST_H

/* `bareperf list`; argv[0] is its name. Returns its exit status. Main thread. */
int command_list(int argc, char **argv);

#endif
