/* SPDX-License-Identifier: MIT */
#ifndef HOST_TOOLS_RECORD_QEMU_RUN_H
#define HOST_TOOLS_RECORD_QEMU_RUN_H

/* `bareperf run`; argv[0] is its name. Returns its exit status (enum run_status). Main thread. */
int command_run(int argc, char **argv);

#endif
