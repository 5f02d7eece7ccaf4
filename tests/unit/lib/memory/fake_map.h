/* SPDX-License-Identifier: MIT */
/* A firmware's memory map for tests that link lib/memory/address.c: one piece of RAM. */
#ifndef TESTS_UNIT_LIB_MEMORY_FAKE_MAP_H
#define TESTS_UNIT_LIB_MEMORY_FAKE_MAP_H

#include "arch/arch.h"

#define FAKE_RAM     0x40000000ULL
#define FAKE_RAM_END 0x80000000ULL

#endif
