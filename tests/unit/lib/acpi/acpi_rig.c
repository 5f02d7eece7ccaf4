/* SPDX-License-Identifier: MIT */
#include "tests/unit/lib/acpi/acpi_rig.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

uint8_t *memory;
uint32_t used, entries;
unsigned warnings;
struct arch_platform platform;

static const void *view(uint64_t address, size_t size)
{
	if (address < BASE || size > SIZE || address - BASE > SIZE - size)
		return NULL;
	return memory + (address - BASE);
}

static void warn(const char *format, ...)
{
	(void)format;
	warnings++;
}

void put_name(uint32_t at, const char *name)
{
	for (unsigned i = 0; name[i] != 0; i++)
		memory[at + i] = (uint8_t)name[i];
}

void put(uint32_t at, uint64_t value, unsigned bytes)
{
	for (unsigned i = 0; i < bytes; i++)
		memory[at + i] = (uint8_t)(value >> (8 * i));
}

void seal(uint32_t at, uint32_t size, uint32_t checksum_at)
{
	uint8_t sum = 0;

	memory[checksum_at] = 0;
	for (uint32_t i = 0; i < size; i++)
		sum = (uint8_t)(sum + memory[at + i]);
	memory[checksum_at] = (uint8_t)-sum;
}

void seal_table(uint32_t at)
{
	uint32_t size;

	memcpy(&size, memory + at + 4, 4);
	seal(at, size, at + 9);
}

uint32_t add_table(const char *signature, uint32_t size)
{
	uint32_t at = used;

	put_name(at, signature);
	put(at + 4, size, 4);
	put(XSDT + 36 + 8 * entries, BASE + at, 8);
	put(RSDT + 36 + 4 * entries, BASE + at, 4);
	entries++;
	used += (size + 15) & ~15U;
	assert_true(used <= SIZE);
	return at;
}

void seal_roots(void)
{
	put_name(XSDT, "XSDT");
	put(XSDT + 4, 36 + 8 * entries, 4);
	seal_table(XSDT);
	put_name(RSDT, "RSDT");
	put(RSDT + 4, 36 + 4 * entries, 4);
	seal_table(RSDT);
	put_name(64, "RSD PTR ");
	memory[64 + 15] = 2;
	put(64 + 16, BASE + RSDT, 4);
	put(64 + 20, 36, 4);
	put(64 + 24, BASE + XSDT, 8);
	seal(64, 20, 64 + 8);
	seal(64, 36, 64 + 32);
}

int set_up(void **state)
{
	(void)state;
	memory = calloc(1, SIZE);
	used = REST;
	entries = 0;
	warnings = 0;
	return !memory;
}

int tear_down(void **state)
{
	(void)state;
	free(memory);
	return 0;
}

int parse_at(uint64_t rsdp)
{
	return acpi_parse(rsdp, view, warn, &platform);
}

int parse(void)
{
	return parse_at(RSDP);
}
