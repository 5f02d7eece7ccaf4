/* SPDX-License-Identifier: MIT */
/* `bareperf bench --uefi`: the firmware's services on a machine in QEMU. Main thread. */
#ifndef HOST_TOOLS_BENCH_SERVICES_H
#define HOST_TOOLS_BENCH_SERVICES_H

#include <stdbool.h>

/* Whether the words before "--" have --uefi. */
bool services_are_meant(int argc, char **argv);

/* Carry out `run ... -- bench --uefi ...`. argv: the words of `bench`. Returns the exit status. */
int command_services(int argc, char **argv);

#endif
