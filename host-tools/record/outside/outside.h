/* SPDX-License-Identifier: MIT */
/* `bareperf run --outside`: sample a guest of QEMU that has no line of bareperf. */
#ifndef HOST_TOOLS_RECORD_OUTSIDE_OUTSIDE_H
#define HOST_TOOLS_RECORD_OUTSIDE_OUTSIDE_H

#include <stdbool.h>

/* Whether --outside is among the words of `run` before its "--". */
bool outside_is_meant(int argc, char **argv);

/* Returns the exit status. Main thread. */
int command_outside(int argc, char **argv);

#endif
