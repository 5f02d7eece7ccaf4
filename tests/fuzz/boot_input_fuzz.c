/* SPDX-License-Identifier: MIT */
/*
 * Data that firmware and disk pass to bareperf before it has its own page tables: load options, a
 * configuration file, a console variable, and, as physical memory at BASE, ACPI tables. Checksums
 * in the tables are corrected first, because otherwise no input would get past them.
 */
#include <stdlib.h>
#include <string.h>

#include "agent/input/loadoptions.h"
#include "lib/acpi/acpi.h"
#include "lib/acpi/acpi_fpdt.h"
#include "lib/parse/device_paths.h"
#include "lib/parse/shell_word.h"
#include "tests/fuzz/seed.h"

#define BASE 0x1000U

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static uint8_t *memory;
static size_t memory_size;

static const void *view(uint64_t address, size_t size)
{
	if (address < BASE || size > memory_size || address - BASE > memory_size - size)
		return NULL;
	return memory + (address - BASE);
}

static void ignore(const char *format, ...)
{
	(void)format;
}

static void mend(size_t at, size_t size, size_t checksum)
{
	uint8_t sum = 0;

	if (size > memory_size || at > memory_size - size || checksum >= at + size)
		return;
	memory[checksum] = 0;
	for (size_t i = 0; i < size; i++)
		sum = (uint8_t)(sum + memory[at + i]);
	memory[checksum] = (uint8_t)-sum;
}

/* Correct the checksums of the RSDP at the start and of the tables at each multiple of 64 bytes
 * behind it; each table is as long as its header says. */
static void mend_tables(void)
{
	for (size_t at = 64; at + 36 <= memory_size; at += 64) {
		uint32_t size;

		memcpy(&size, memory + at + 4, sizeof(size));
		mend(at, size, at + 9);
	}
	if (memory_size < 36)
		return;
	for (unsigned i = 0; i < 8; i++)
		memory[i] = (uint8_t) "RSD PTR "[i];
	mend(0, 20, 8);
	mend(0, 36, 32);
}

/* The words must lie in the text, one after the other. */
static void cut_text(char *text)
{
	const char *end = text + strlen(text), *last = text, *open;
	char *word;

	while ((word = shell_word(&text, &open))) {
		if (word < last || text > end || word + strlen(word) > text)
			abort();
		last = word + strlen(word);
	}
	if (open && (open < last || open >= end))
		abort();
}

static void parse_text(const uint8_t *data, size_t size)
{
	char text[32];
	int length = loadoptions_to_text(data, size, text, sizeof(text));

	if (length > 0 && strlen(text) != (size_t)length)
		abort();
	length = config_to_text(data, size, text, sizeof(text));
	if (length > 0 && strlen(text) != (size_t)length)
		abort();
	cut_text(text);
}

/* A text of device paths leads to the device with which it begins. */
static void parse_paths(const uint8_t *data, size_t size)
{
	static const uint8_t card[] = { 1, 1, 6, 0, 0, 3 };

	device_paths_lead_to(data, size, card, sizeof(card));
	if (size != 0 && !device_paths_lead_to(data, size, data, size < 18 ? size : 18))
		abort();
}

static void tell_nothing(void *context, uint64_t ns, const char *name)
{
	(void)context;
	(void)ns;
	(void)name;
}

/* The result of acpi_parse() for a memory with these bytes. */
static int parse_tables(const uint8_t *data, size_t size, struct arch_platform *platform)
{
	const uint8_t *table;
	uint32_t table_size;
	int code;

	memory = malloc(size + !size);
	memory_size = size;
	if (!memory)
		abort();
	if (size != 0)
		memcpy(memory, data, size);
	mend_tables();
	code = acpi_parse(BASE, view, ignore, platform);
	table = acpi_find(BASE, "FPDT", view, ignore, &table_size);
	if (table)
		fpdt_read(table, table_size, view, tell_nothing, NULL);
	free(memory);
	return code;
}

static bool is_good(const char *name, const uint8_t *data, size_t size)
{
	static struct arch_platform platform;
	char text[32];

	if (!strcmp(name, "config"))
		return config_to_text(data, size, text, sizeof(text)) > 0;
	if (!strcmp(name, "options"))
		return loadoptions_to_text(data, size, text, sizeof(text)) > 0;
	return !parse_tables(data, size, &platform) && platform.cpu_count;
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	fuzz_require_seeds(*argc, *argv, is_good);
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct arch_platform platform;

	parse_text(data, size);
	parse_paths(data, size);
	parse_tables(data, size, &platform);
	if (platform.cpu_count > ARCH_MAX_CPUS || platform.ioapic_count > ARCH_MAX_IOAPICS ||
	    platform.gicr_count > ARCH_MAX_GICR_AREAS)
		abort();
	return 0;
}
