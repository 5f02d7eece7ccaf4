/* SPDX-License-Identifier: MIT */
/* Notes of pages allocated from the firmware, which are freed at the end. Boot services only;
 * thread. */
#ifndef LIB_MEMORY_PAGES_H
#define LIB_MEMORY_PAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Note that these pages were allocated. false: there is no memory for the note, and the pages were
 * freed again. */
bool pages_note(uint64_t address, uint64_t pages);

/* Make pages_free_all() skip the pages that begin at address. */
void pages_keep(uint64_t address);

/* Free all noted pages that are not kept. */
void pages_free_all(void);

#endif
