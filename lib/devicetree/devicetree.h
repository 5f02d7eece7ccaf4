/* SPDX-License-Identifier: MIT */
/*
 * Reads a flattened device tree (Devicetree Specification 0.4; Linux's bindings,
 * Documentation/devicetree/bindings) as untrusted bytes. The tree is first checked as a whole. A
 * part that cannot be used is left out, with a warning that names the node and the property.
 */
#ifndef LIB_DEVICETREE_DEVICETREE_H
#define LIB_DEVICETREE_DEVICETREE_H

#include "arch/arch.h"
#include "lib/table_view.h"

/*
 * Fill platform from the tree at this address: the CPUs that PSCI can start, and the one with hw_id
 * boot_cpu, which is running; GIC, generic timer, interrupts of PMU and SPE; the console; PCI
 * configuration space in memory; reserved memory. A part that the tree does not have stays 0. warn
 * gets a line for each refused part. Returns 0, or -EINVAL if there is no valid tree; platform is
 * then empty. Pure: the unit tests call it on the host.
 */
int devicetree_parse(uint64_t address, uint64_t boot_cpu, table_view_fn view, arch_print_fn warn,
                     struct arch_platform *platform);

#endif
