/* SPDX-License-Identifier: MIT */
/*
 * Reads ACPI's static tables as untrusted bytes: every length is bounded and every checksum
 * verified. A table that fails is left out, with a warning. ACPI 6.5, 5.2.
 */
#ifndef LIB_ACPI_ACPI_H
#define LIB_ACPI_ACPI_H

#include "arch/arch.h"
#include "lib/table_view.h"

/*
 * Fill platform from the tables that the RSDP at this address leads to: MADT (CPUs, I/O APICs,
 * GIC), FADT (PM timer, PSCI), HPET, SPCR or else DBG2 (UART), GTDT, WDAT and WDRT (watchdogs),
 * MCFG (PCI Express configuration space). If a table is missing, its members stay 0. warn gets a
 * line for each refused table. Returns 0, or -ENOENT if there is no valid RSDP or root table. Pure:
 * the unit tests call it on the host.
 */
int acpi_parse(uint64_t rsdp, table_view_fn view, arch_print_fn warn,
               struct arch_platform *platform);

/* The first valid table with this signature (four characters), header included, and its size; NULL:
 * there is none. Otherwise like acpi_parse(). */
const uint8_t *acpi_find(uint64_t rsdp, const char *signature, table_view_fn view,
                         arch_print_fn warn, uint32_t *size);

#endif
