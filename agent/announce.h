/* SPDX-License-Identifier: MIT */
/* The machine's parts and the next steps, as text for the user in front of the machine. */
#ifndef AGENT_ANNOUNCE_H
#define AGENT_ANNOUNCE_H

#include "arch/arch.h"

/* Say it on the console. resident: boot services are there still. After framebuffer_init().
 * Thread. */
void announce_machine(const struct arch_platform *platform, bool resident);

#endif
