/* SPDX-License-Identifier: MIT */
#include "tests/unit/lib/memory/fake_map.h"

#include "lib/memory/memory.h"

bool memory_is_known(uint64_t address, uint64_t size)
{
	return address >= FAKE_RAM && address < FAKE_RAM_END && size <= FAKE_RAM_END - address;
}

bool memory_has_ram(uint64_t address, uint64_t size)
{
	return address < FAKE_RAM_END && address + size > FAKE_RAM;
}
