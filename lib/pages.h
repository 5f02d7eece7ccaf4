/* SPDX-License-Identifier: MIT */
/* Pages of the firmware's: what was taken goes back when we go. Boot services only; thread. */
#ifndef LIB_PAGES_H
#define LIB_PAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* These were allocated. false: there is no memory to remember it in, and they were freed again. */
bool pages_note(uint64_t address, uint64_t pages);

/* Those that begin at address stay, whatever comes. */
void pages_keep(uint64_t address);

/* Free all that was noted and is not kept. */
void pages_free_all(void);

#endif
