/* SPDX-License-Identifier: MIT */
/* A firmware's own times in the device tree that it hands over: untrusted bytes, as in
 * devicetree.h. */
#ifndef LIB_DEVICETREE_DEVICETREE_TIMES_H
#define LIB_DEVICETREE_DEVICETREE_TIMES_H

#include <stdint.h>

#include "lib/firmware_time.h"
#include "lib/table_view.h"

/* Report the times of U-Boot's bootstage, from the node /bootstage of the tree at this address
 * (U-Boot's CONFIG_BOOTSTAGE_FDT): moments, and sums, whose names end with " (in all)". Returns
 * NULL, or what is wrong with the tree. A tree without that node is not wrong. Pure: the unit tests
 * call it on the host. */
const char *devicetree_bootstage(uint64_t address, table_view_fn view, firmware_time_fn report,
                                 void *context);

/* The address of coreboot's table (Linux's binding firmware/coreboot.txt); 0: the tree has none.
 * Pure. */
uint64_t devicetree_coreboot(uint64_t address, table_view_fn view);

#endif
