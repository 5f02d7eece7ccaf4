/* SPDX-License-Identifier: MIT */
/* The report on the machine, for the user in front of it. */
#ifndef AGENT_ANNOUNCE_H
#define AGENT_ANNOUNCE_H

#include "arch/arch.h"

/* Print the machine's properties and what to expect of a recording. resident: boot services stay.
 * After framebuffer_init(). Thread. */
void announce_machine(const struct arch_platform *platform, bool resident);

#endif
