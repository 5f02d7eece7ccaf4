/* SPDX-License-Identifier: MIT */
#ifndef LIB_PLATFORM_CHECK_H
#define LIB_PLATFORM_CHECK_H

#include "arch/arch.h"

/*
 * Leave out of the description what address_refusal() (lib/memory/address.h) refuses: its member is 0, or
 * not in its list, afterwards, and warn gets a line for it. Of UARTs the first that can be used
 * stays. A watchdog of which one register is refused is not served. For each parser's
 * result (lib/acpi/acpi.h, lib/devicetree/devicetree.h), before anything in it is used. After
 * memory_init(). Thread.
 */
void platform_check(struct arch_platform *platform, arch_print_fn warn);

#endif
