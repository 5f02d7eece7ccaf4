/* SPDX-License-Identifier: MIT */
/*
 * The one check of addresses and lengths that ACPI's tables, device trees, BARs and the firmware's
 * variables give: they are foreign numbers, and an access to a wrong one ends the machine.
 */
#ifndef LIB_MEMORY_ADDRESS_H
#define LIB_MEMORY_ADDRESS_H

#include <stdint.h>

/* The intended content of an address. */
enum address_use {
	ADDRESS_ANY,       /* anything that the CPU reaches */
	ADDRESS_DEVICE,    /* a device's memory: the firmware's memory map has no RAM there */
	ADDRESS_REGISTERS, /* the same, words of 4 bytes, and not more than 1 GiB */
	ADDRESS_MEMORY,    /* memory, as memory_is_known() has it */
	ADDRESS_PORTS,     /* x86's I/O ports */
};

/* Why [address, address + size), sizes in bytes, cannot be used so: a phrase whose subject is the
 * range. NULL: it can be used. The CPU's physical width, a wrap-around and the firmware's memory
 * map are looked at; the range itself is not accessed. Any values. After memory_init(). Thread. */
const char *address_refusal(uint64_t address, uint64_t size, enum address_use use);

#endif
