/* SPDX-License-Identifier: MIT */
/*
 * The one check of addresses and lengths from ACPI's tables, device trees, BARs and the firmware's
 * variables. They are untrusted numbers, and an access to a wrong address may stop the machine.
 */
#ifndef LIB_MEMORY_ADDRESS_H
#define LIB_MEMORY_ADDRESS_H

#include <stdint.h>

/* The intended use of an address. */
enum address_use {
	ADDRESS_ANY,       /* anything that the CPU can reach */
	ADDRESS_DEVICE,    /* a device's memory: the firmware's memory map has no RAM there */
	ADDRESS_REGISTERS, /* device memory as registers: words of 4 bytes, at most 1 GiB */
	ADDRESS_MEMORY,    /* memory, by memory_is_known() */
	ADDRESS_PORTS,     /* x86's I/O ports */
};

/* Why [address, address + size), sizes in bytes, cannot be used like this: a phrase whose subject
 * is the range; NULL: it can be used. Checks the CPU's physical width, a wrap-around and the
 * firmware's memory map; does not access the range. All values are allowed. After memory_init().
 * Thread. */
const char *address_refusal(uint64_t address, uint64_t size, enum address_use use);

#endif
