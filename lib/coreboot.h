/* SPDX-License-Identifier: MIT */
/*
 * coreboot's own times of its boot, which it keeps in CBMEM. A PC's coreboot leaves a table at
 * 0x500 (older versions: at 0 or 0xf0000) that leads to the real one; on other machines the device
 * tree has its address. All are untrusted bytes. Sources: coreboot's
 * definitions of its tables (src/commonlib: coreboot_tables, timestamp_serialized).
 */
#ifndef LIB_COREBOOT_H
#define LIB_COREBOOT_H

#include <stdint.h>

#include "lib/firmware_time.h"
#include "lib/table_view.h"

/* Find a PC's coreboot table in low memory, at a multiple of 16; 0: there is none. Thread. */
uint64_t coreboot_find(table_view_fn view);

/* Report all times of the coreboot table at this address, in the order in which they were taken.
 * Returns NULL, or what is wrong; nothing more is reported then. A table without times is not
 * wrong. Pure: the unit tests call it on the host. */
const char *coreboot_read(uint64_t address, table_view_fn view, firmware_time_fn report,
                          void *context);

#endif
