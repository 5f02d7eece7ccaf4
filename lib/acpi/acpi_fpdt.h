/* SPDX-License-Identifier: MIT */
/*
 * The firmware's own notes about its boot: the Firmware Performance Data Table (ACPI 6.5,
 * 5.2.24), which leads to the Firmware Basic Boot Performance Table, and in that EDK2's records
 * (MdeModulePkg, ExtendedFirmwarePerformance.h), all of them foreign bytes.
 */
#ifndef LIB_ACPI_ACPI_FPDT_H
#define LIB_ACPI_ACPI_FPDT_H

#include <stddef.h>
#include <stdint.h>

#include "lib/table_view.h"

#define FPDT_NAME_MAX    96U   /* bytes of a name, its NUL included */
#define FPDT_RECORDS_MAX 4096U /* that are told */

/* One time: ns since the processor's reset by the firmware's own clock; what happened then, in
 * printable ASCII. */
typedef void (*fpdt_tell_fn)(void *context, uint64_t ns, const char *name);

/*
 * Tell all times that the table (whole and verified, header included: acpi_find()'s) leads to, in
 * its order; times of 0 were never noted, and are not told. Returns NULL, or what is wrong with
 * it, after which nothing more is told. Pure: the unit tests call it on the host.
 */
const char *fpdt_read(const uint8_t *table, uint32_t size, table_view_fn view, fpdt_tell_fn tell,
                      void *context);

#endif
