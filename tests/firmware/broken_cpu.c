/* SPDX-License-Identifier: MIT */
/* bareperf itself on a CPU that cannot be taken over. */
#include <errno.h>

#include "agent/agent.h"

#define arch_take_over(story, arg) ((void)(story), (void)(arg), -EIO)
#include "boot/main.c"
#include "boot/run_mode.c"
