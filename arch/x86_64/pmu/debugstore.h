/* SPDX-License-Identifier: MIT */
/* The debug store in its 64-bit format: SDM volume 3B, 17.4.9. Compiles anywhere, so that the
 * driver runs against fake registers. */
#ifndef ARCH_X86_64_PMU_DEBUGSTORE_H
#define ARCH_X86_64_PMU_DEBUGSTORE_H

#include <stddef.h>
#include <stdint.h>

/* The buffer management area that IA32_DS_AREA points to; linear addresses. */
struct debug_store {
	uint64_t bts_buffer_base;
	uint64_t bts_index; /* where the next record goes; the CPU moves it */
	uint64_t bts_absolute_maximum;
	uint64_t bts_interrupt_threshold;
	uint64_t pebs_buffer_base;
	uint64_t pebs_index;
	uint64_t pebs_absolute_maximum;
	uint64_t pebs_interrupt_threshold;
	uint64_t pebs_counter_reset[12]; /* of general counters, which the CPU reloads */
};
_Static_assert(offsetof(struct debug_store, bts_interrupt_threshold) == 0x18, "figure 17-9");

#endif
