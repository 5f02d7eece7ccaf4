/* SPDX-License-Identifier: MIT */
/* The maker and name of a machine by SMBIOS (DMTF DSP0134). Pure; the tables may have any content.
 */
#ifndef LIB_PARSE_SMBIOS_H
#define LIB_PARSE_SMBIOS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SMBIOS_TEXT 64U /* bytes of a text that is kept, with the NUL */

/* The bytes at an address of the machine; NULL: they cannot be read. */
typedef const void *(*smbios_view_fn)(uint64_t address, size_t size);

struct smbios_system {
	char maker[SMBIOS_TEXT];   /* type 1: Manufacturer, a C string of any bytes; "": none */
	char product[SMBIOS_TEXT]; /* Product Name */
};

/* Read the system information behind the entry point at this address (5.2.1 or 5.2.2). Returns
 * false if there is none. */
bool smbios_read_system(uint64_t entry, smbios_view_fn view, struct smbios_system *system);

/* Whether this is a machine of Apple's Virtualization.framework. */
bool smbios_is_apples_vm(const struct smbios_system *system);

#endif
