/* SPDX-License-Identifier: MIT */
/*
 * ACPI's static tables, read as foreign bytes: every length is bounded, every checksum verified,
 * and what fails is left out with a remark. ACPI 6.5, 5.2.
 */
#ifndef LIB_ACPI_ACPI_H
#define LIB_ACPI_ACPI_H

#include "arch/arch.h"
#include "lib/table_view.h"

/*
 * Fill platform from the tables that the RSDP at this address leads to: MADT (CPUs, I/O APICs,
 * GIC), FADT (PM timer, PSCI), HPET, SPCR or else DBG2 (UART), GTDT, WDAT and WDRT (watchdogs),
 * MCFG (PCI Express configuration space).
 * Tables that are missing leave their members 0. warn gets a line for each table that was refused.
 * 0, or -ENOENT if there is no RSDP or root table to be trusted. Pure: the unit tests call it on
 * the host.
 */
int acpi_parse(uint64_t rsdp, table_view_fn view, arch_print_fn warn,
               struct arch_platform *platform);

/* The first table of this signature (four characters), whole and with a right checksum, its header
 * included, and its size; NULL: there is none. Otherwise as acpi_parse(). */
const uint8_t *acpi_find(uint64_t rsdp, const char *signature, table_view_fn view,
                         arch_print_fn warn, uint32_t *size);

#endif
