/* SPDX-License-Identifier: MIT */
#ifndef HOST_TOOLS_IMPORT_IMPORT_H
#define HOST_TOOLS_IMPORT_IMPORT_H

/* `bareperf import`: a memory dump's recording as perf.data; argv[0] is its name. Returns its exit
 * status. Main thread. */
int command_import(int argc, char **argv);

#endif
