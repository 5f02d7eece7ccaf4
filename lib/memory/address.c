/* SPDX-License-Identifier: MIT */
#include "lib/memory/address.h"

#include "arch/arch.h"
#include "lib/memory/memory.h"

#define REGISTERS_MOST (1ULL << 30) /* bytes; four times the configuration space of 256 buses */
#define PORTS          0x10000U

/* Whether the CPU can address both ends of the range. */
static bool address_is_reached(uint64_t address, uint64_t size)
{
	uint64_t limit = 1ULL << arch_address_bits();

	return address < limit && size <= limit - address;
}

const char *address_refusal(uint64_t address, uint64_t size, enum address_use use)
{
	if (size == 0)
		return "it has no length";
	if (address + (size - 1) < address)
		return "it wraps around the end of the address space";
	if (use == ADDRESS_PORTS)
		return address < PORTS && size <= PORTS - address ? NULL
		                                                  : "there are 65536 I/O ports";
	if (address == 0 && use != ADDRESS_ANY)
		return "it has no address";
	if (!address_is_reached(address, size))
		return "the CPU has fewer bits of address";
	if (use == ADDRESS_MEMORY)
		return memory_is_known(address, size)
		           ? NULL
		           : "the firmware's memory map names no memory there";
	if (use == ADDRESS_REGISTERS && address % 4 != 0)
		return "registers lie at multiples of 4";
	if (use == ADDRESS_REGISTERS && size > REGISTERS_MOST)
		return "registers are not that many";
	if (use != ADDRESS_ANY && memory_has_ram(address, size))
		return "the firmware's memory map names RAM there";
	return NULL;
}
