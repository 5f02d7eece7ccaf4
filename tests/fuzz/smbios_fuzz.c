/* SPDX-License-Identifier: MIT */
/*
 * SMBIOS tables with any content: the parser reads nothing beyond their end, its texts have a NUL,
 * and it ends. The input is memory that begins with the entry point.
 */
#include <stdlib.h>
#include <string.h>

#include "lib/parse/smbios.h"
#include "tests/fuzz/seed.h"

#define BASE 0x40000000ULL

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static uint8_t *memory; /* on the heap, so that the sanitizer detects reads beyond the table */
static size_t memory_size;

static const void *view(uint64_t address, size_t size)
{
	if (address < BASE || address - BASE > memory_size || size > memory_size - (address - BASE))
		return NULL;
	return memory + (address - BASE);
}

static bool is_text(const char text[SMBIOS_TEXT])
{
	return memchr(text, 0, SMBIOS_TEXT);
}

static bool read_system(const uint8_t *data, size_t size, struct smbios_system *system)
{
	bool found;

	memory = malloc(size ? size : 1);
	memory_size = size;
	if (!memory)
		abort();
	memcpy(memory, data, size);
	found = smbios_read_system(BASE, view, system);
	free(memory);
	return found;
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	static const char table[] =
	    "\x00\x06\x00\x00\x01\x02Vendor\0Version\0\0"
	    "\x01\x08\x01\x00\x02\x03\x01\x04"
	    "1.0\0Apple Inc.\0Apple Virtualization\0Serial\0\0"
	    "\x7f\x04\xff\xff\0\0";
	uint8_t good[24 + sizeof(table)] = "_SM3_";
	struct smbios_system system;

	memcpy(good + 0x0c, &(uint32_t){ sizeof(table) }, sizeof(uint32_t));
	memcpy(good + 0x10, &(uint64_t){ BASE + 24 }, sizeof(uint64_t));
	memcpy(good + 24, table, sizeof(table));
	if (!read_system(good, sizeof(good), &system) || !smbios_is_apples_vm(&system))
		abort();
	fuzz_seed(*argc, *argv, "system", good, sizeof(good));
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct smbios_system system;

	read_system(data, size, &system);
	if (!is_text(system.maker) || !is_text(system.product))
		abort();
	return 0;
}
