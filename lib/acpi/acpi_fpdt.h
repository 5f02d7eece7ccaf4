/* SPDX-License-Identifier: MIT */
/*
 * The firmware's own times of its boot: the Firmware Performance Data Table (ACPI 6.5, 5.2.24)
 * leads to the Firmware Basic Boot Performance Table, which has EDK2's records (MdeModulePkg,
 * ExtendedFirmwarePerformance.h). All are untrusted bytes.
 */
#ifndef LIB_ACPI_ACPI_FPDT_H
#define LIB_ACPI_ACPI_FPDT_H

#include <stddef.h>
#include <stdint.h>

#include "lib/firmware_time.h"
#include "lib/table_view.h"

/*
 * Report all times that the table leads to, in its order. table is whole and verified, header
 * included, from acpi_find(). A time of 0 was not recorded, and is not reported. Returns NULL, or
 * what is wrong with the table; nothing more is reported then. Pure: the unit tests call it on the
 * host.
 */
const char *fpdt_read(const uint8_t *table, uint32_t size, table_view_fn view,
                      firmware_time_fn report, void *context);

#endif
