/* SPDX-License-Identifier: MIT */
#ifndef ARCH_X86_64_HOSTED_HOSTED_H
#define ARCH_X86_64_HOSTED_HOSTED_H

#include "arch/hosted.h"

/* arch_irq_enable() and arch_irq_disable(), where the firmware goes on; false: it does not. */
bool hosted_let_in(void);
bool hosted_keep_out(void);

/* Whether it goes on; and whether it leaves us no timer. Any context. */
bool hosted_is(void);
bool hosted_lacks_timer(void);

/* arch_stack_bounds(), where it goes on; false: it does not, or sp is on none that is known. */
bool hosted_stack_bounds(uint64_t sp, uint64_t *low, uint64_t *high);

#endif
