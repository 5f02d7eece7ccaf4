/* SPDX-License-Identifier: MIT */
#ifndef LIB_PLATFORM_CHECK_H
#define LIB_PLATFORM_CHECK_H

#include "arch/arch.h"

/*
 * Remove addresses that address_refusal() (lib/memory/address.h) refuses: the member becomes 0, or
 * is removed from its list, and warn gets a line. The first usable UART becomes the UART. A
 * watchdog with a refused register is not served. Call it for each parser's result
 * (lib/acpi/acpi.h, lib/devicetree/devicetree.h) before that is used. After memory_init(). Thread.
 */
void platform_check(struct arch_platform *platform, arch_print_fn warn);

#endif
