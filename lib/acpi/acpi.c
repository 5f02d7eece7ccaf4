/* SPDX-License-Identifier: MIT */
#include "lib/acpi/acpi.h"

#include <errno.h>
#include <string.h>

#include "lib/acpi/acpi_tables.h"

#define MAX_TABLE (16U << 20) /* longer than any static table; a larger length is wrong */

struct parse {
	table_view_fn view;
	arch_print_fn warn;
	/* Called with each table that the root table names. */
	void (*take)(struct parse *parse, uint64_t address);
	struct arch_platform *platform; /* acpi_parse()'s */
	const char *wanted;             /* acpi_find()'s */
	const uint8_t *found;
	uint32_t found_size;
};

static uint8_t acpi_sum(const uint8_t *bytes, size_t size)
{
	uint8_t total = 0;

	for (size_t i = 0; i < size; i++)
		total = (uint8_t)(total + bytes[i]);
	return total;
}

/* The table at address, if it is whole and its checksum is right; else NULL. */
static const uint8_t *acpi_find_table(const struct parse *parse, uint64_t address, uint32_t *size)
{
	const uint8_t *header = parse->view(address, ACPI_HEADER_SIZE);

	if (!header) {
		parse->warn("ACPI: table at 0x%lx is not in memory, ignored\n", address);
		return NULL;
	}
	*size = acpi_u32(header + 4);
	if (*size < ACPI_HEADER_SIZE || *size > MAX_TABLE || !parse->view(address, *size)) {
		parse->warn("ACPI: table at 0x%lx has a wrong length of %u bytes, ignored\n",
		            address, *size);
		return NULL;
	}
	if (acpi_sum(header, *size) != 0) {
		parse->warn("ACPI: table at 0x%lx has a wrong checksum, ignored\n", address);
		return NULL;
	}
	return header;
}

/* Each known table's parser gets a whole table with its header; length and checksum were
 * checked. */
static const struct {
	char signature[5];
	uint32_t least; /* the bytes that the parser reads without a check */
	void (*parse)(const uint8_t *table, uint32_t size, struct arch_platform *platform);
} parsers[] = {
	{ "APIC", 44, acpi_parse_madt }, { "FACP", 116, acpi_parse_fadt },
	{ "HPET", 56, acpi_parse_hpet }, { "SPCR", 52, acpi_parse_spcr },
	{ "DBG2", 44, acpi_parse_dbg2 }, { "GTDT", 80, acpi_parse_gtdt },
	{ "WDAT", 64, acpi_parse_wdat }, { "WDRT", 36, acpi_parse_wdrt },
	{ "MCFG", 44, acpi_parse_mcfg },
};

static void acpi_parse_table(struct parse *parse, uint64_t address)
{
	uint32_t size;
	const uint8_t *table = parse->view(address, 4);

	if (!table && address != 0) /* 0: firmware has left the entry empty */
		parse->warn("ACPI: table at 0x%lx is not in memory, ignored\n", address);
	for (unsigned i = 0; table && i < sizeof(parsers) / sizeof(parsers[0]); i++) {
		if (memcmp(table, parsers[i].signature, 4) != 0)
			continue;
		table = acpi_find_table(parse, address, &size);
		if (table && size >= parsers[i].least)
			parsers[i].parse(table, size, parse->platform);
		else if (table)
			parse->warn("ACPI: %s is only %u bytes, ignored\n", parsers[i].signature,
			            size);
		return;
	}
}

/* Takes the first valid table with the wanted signature. */
static void acpi_take_wanted(struct parse *parse, uint64_t address)
{
	const uint8_t *table = parse->view(address, 4);

	if (!parse->found && table && memcmp(table, parse->wanted, 4) == 0)
		parse->found = acpi_find_table(parse, address, &parse->found_size);
}

/* XSDT: 64-bit entries; RSDT: 32-bit entries. 5.2.7, 5.2.8 */
static int acpi_parse_root(struct parse *parse, uint64_t address, const char *signature,
                           unsigned entry_size)
{
	uint32_t size;
	const uint8_t *root = acpi_find_table(parse, address, &size);

	if (!root)
		return -ENOENT;
	if (memcmp(root, signature, 4) != 0) {
		parse->warn("ACPI: no %s at 0x%lx\n", signature, address);
		return -ENOENT;
	}
	for (uint32_t at = ACPI_HEADER_SIZE; at + entry_size <= size; at += entry_size)
		parse->take(parse, entry_size == 8 ? acpi_u64(root + at) : acpi_u32(root + at));
	return 0;
}

/* 5.2.5.3 Root System Description Pointer */
static int acpi_parse_all(struct parse *parse, uint64_t rsdp)
{
	const uint8_t *bytes = parse->view(rsdp, 20);

	if (!bytes || memcmp(bytes, "RSD PTR ", 8) != 0 || acpi_sum(bytes, 20) != 0) {
		parse->warn("ACPI: no valid RSDP at 0x%lx\n", rsdp);
		return -ENOENT;
	}
	if (bytes[15] >= 2 && parse->view(rsdp, 36) && acpi_sum(bytes, 36) == 0 &&
	    acpi_u64(bytes + 24) != 0 &&
	    acpi_parse_root(parse, acpi_u64(bytes + 24), "XSDT", 8) == 0)
		return 0;
	return acpi_parse_root(parse, acpi_u32(bytes + 16), "RSDT", 4);
}

int acpi_parse(uint64_t rsdp, table_view_fn view, arch_print_fn warn,
               struct arch_platform *platform)
{
	struct parse parse = {
		.view = view, .warn = warn, .take = acpi_parse_table, .platform = platform
	};

	memset(platform, 0, sizeof(*platform));
	return acpi_parse_all(&parse, rsdp);
}

const uint8_t *acpi_find(uint64_t rsdp, const char *signature, table_view_fn view,
                         arch_print_fn warn, uint32_t *size)
{
	struct parse parse = {
		.view = view, .warn = warn, .take = acpi_take_wanted, .wanted = signature
	};

	acpi_parse_all(&parse, rsdp);
	*size = parse.found_size;
	return parse.found;
}
