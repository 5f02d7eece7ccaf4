/* SPDX-License-Identifier: MIT */
/*
 * The firmware's own times (FPDT), from tables with any content: the parser reads nothing beyond
 * their ends, each name is printable and fits, and the parser ends. The input's first byte is the
 * length of the FPDT after its header; the boot performance table follows the FPDT.
 */
#include <stdlib.h>

#include "lib/acpi/acpi_fpdt.h"
#include "tests/fuzz/seed.h"

#define BASE   0x7fe00000ULL
#define HEADER 36U

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static uint8_t *memory; /* on the heap, so that the sanitizer detects reads beyond the tables */
static size_t memory_size;

static const void *view(uint64_t address, size_t size)
{
	if (address < BASE || size > memory_size || address - BASE > memory_size - size)
		return NULL;
	return memory + (address - BASE);
}

static void tell(void *context, uint64_t ns, const char *name)
{
	unsigned *reported = context;
	size_t length = strnlen(name, FIRMWARE_TIME_NAME);

	if (!ns || !length || length == FIRMWARE_TIME_NAME || ++*reported > FIRMWARE_TIMES_MAX)
		abort();
	for (size_t i = 0; i < length; i++) {
		if (name[i] < ' ' || name[i] > '~')
			abort();
	}
}

static uint8_t *copy(const uint8_t *data, size_t size, size_t before)
{
	uint8_t *bytes = calloc(1, before + size ? before + size : 1);

	if (!bytes)
		abort();
	if (size)
		memcpy(bytes + before, data, size);
	return bytes;
}

/* The number of times; *wrong: the value of fpdt_read(). */
static unsigned read_times(const uint8_t *data, size_t size, const char **wrong)
{
	size_t records = data[0] < size - 1 ? data[0] : size - 1;
	uint8_t *table = copy(data + 1, records, HEADER);
	unsigned reported = 0;

	memory_size = size - 1 - records;
	memory = copy(data + 1 + records, memory_size, 0);
	*wrong = fpdt_read(table, (uint32_t)(HEADER + records), view, tell, &reported);
	free(memory);
	free(table);
	return reported;
}

/* Put a record of one time at its offset; returns its length. */
static uint8_t put_record(uint8_t *to, uint16_t type, uint8_t length, unsigned time_at)
{
	memset(to, 'x', length); /* GUIDs, and texts without an end */
	memcpy(to, &type, sizeof(type));
	to[2] = length;
	memcpy(to + time_at, &(uint64_t){ 0x123456789 }, sizeof(uint64_t));
	return length;
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	uint8_t good[300] = { 16 }, *table = good + 17, *end = table + 8;
	const char *wrong;
	uint32_t size;

	put_record(good + 1, 0, 16, 8);
	memcpy(good + 9, &(uint64_t){ BASE }, sizeof(uint64_t));
	end += put_record(end, 2, 48, 8); /* plus four more 'x' */
	end += put_record(end, 0x1010, 34, 10);
	end += put_record(end, 0x1011, 40, 10);
	end += put_record(end, 0x1012, 54, 10);
	end += put_record(end, 0x1014, 44, 10) + 16; /* room */
	size = (uint32_t)(end - table);
	memcpy(table, "FBPT", 4);
	memcpy(table + 4, &size, sizeof(size));
	if (read_times(good, (size_t)(end - good), &wrong) != 9 || wrong)
		abort();
	fuzz_seed(*argc, *argv, "times", good, (size_t)(end - good));
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *wrong;

	if (size)
		read_times(data, size, &wrong);
	return 0;
}
