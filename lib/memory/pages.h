/* SPDX-License-Identifier: MIT */
/* Pages of the firmware's: what was taken goes back when we go. Boot services only; thread. */
#ifndef LIB_MEMORY_PAGES_H
#define LIB_MEMORY_PAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Remember that these pages were allocated. false: there is no memory for that, and they were freed
 * again. */
bool pages_note(uint64_t address, uint64_t pages);

/* pages_free_all() is not to free the pages that begin at address. */
void pages_keep(uint64_t address);

/* Free all that was noted and is not kept. */
void pages_free_all(void);

#endif
