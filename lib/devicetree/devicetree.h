/* SPDX-License-Identifier: MIT */
/*
 * A flattened device tree (Devicetree Specification 0.4; the bindings are Linux's,
 * Documentation/devicetree/bindings), read as foreign bytes: checked as a whole first, and what
 * cannot be used is left out with a remark that names the node and the property.
 */
#ifndef LIB_DEVICETREE_DEVICETREE_H
#define LIB_DEVICETREE_DEVICETREE_H

#include "arch/arch.h"
#include "lib/table_view.h"

/*
 * Fill platform from the tree at this address: CPUs that PSCI starts, and the one whose hw_id is
 * boot_cpu, which runs already; GIC, generic timer, interrupts of PMU and SPE; the console; PCI
 * configuration space in memory; memory that is reserved. A part that the tree does not name stays
 * 0. warn gets a line for each thing that was refused. 0, or -EINVAL if it is no tree: platform is
 * empty then. Pure: the unit tests call it on the host.
 */
int devicetree_parse(uint64_t address, uint64_t boot_cpu, table_view_fn view, arch_print_fn warn,
                     struct arch_platform *platform);

#endif
