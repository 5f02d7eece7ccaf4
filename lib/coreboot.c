/* SPDX-License-Identifier: MIT */
#include "lib/coreboot.h"

#include <stdbool.h>
#include <string.h>

#include "lib/print.h"

/* struct lb_header: "LBIO", its bytes, its checksum, the table's bytes, checksum, records */
#define HEADER       24U
#define RECORD       8U /* a record's tag and bytes */
#define TAG_FORWARD  0x11U
#define TAG_TIMES    0x16U
#define WITH_ADDRESS 16U        /* a record of these two: behind tag and bytes an address */
#define MAX_TABLE    (1U << 20) /* larger than any; a larger length is wrong */
#define FORWARDS     4U         /* most tables that are followed, each to the next */

/* struct timestamp_table: base u64, room u16, MHz u16, entries u32; then entries of an id u32 and a
 * signed u64. */
#define TIMES_HEADER 16U
#define TIMES_ENTRY  12U

/* Where a PC's coreboot leaves its table. */
static const struct {
	uint32_t from, to;
} places[] = { { 0x500, 0x1000 }, { 0xf0000, 0x100000 }, { 0x10, 0x500 } };

/* The names that matter on machines with UEFI; others are shown by their numbers. */
static const struct {
	uint16_t id;
	const char *name;
} names[] = {
	{ 1, "romstage begins" },
	{ 2, "RAM initialization begins" },
	{ 3, "RAM initialization ends" },
	{ 4, "romstage ends" },
	{ 5, "verified boot begins" },
	{ 6, "verified boot ends" },
	{ 8, "load of ramstage begins" },
	{ 9, "load of ramstage ends" },
	{ 10, "ramstage begins" },
	{ 11, "bootblock begins" },
	{ 12, "bootblock ends" },
	{ 13, "load of romstage begins" },
	{ 14, "load of romstage ends" },
	{ 15, "LZMA decompression begins" },
	{ 16, "LZMA decompression ends" },
	{ 17, "LZ4 decompression begins" },
	{ 18, "LZ4 decompression ends" },
	{ 30, "chips are initialized" },
	{ 31, "devices are enumerated" },
	{ 40, "devices are configured" },
	{ 50, "devices are enabled" },
	{ 60, "devices are initialized" },
	{ 65, "option ROMs are initialized" },
	{ 67, "option ROMs are done" },
	{ 70, "devices are done" },
	{ 75, "CBMEM is done" },
	{ 80, "tables are written" },
	{ 85, "chips are finalized" },
	{ 90, "load of the payload begins" },
	{ 99, "jump to the payload" },
	{ 100, "postcar begins" },
	{ 101, "postcar ends" },
	{ 112, "microcode is read" },
	{ 113, "microcode was read" },
	{ 503, "TPM initialization begins" },
	{ 504, "TPM initialization ends" },
	{ 940, "wait for the ME begins" },
	{ 941, "wait for the ME ends" },
	{ 950, "FspMemoryInit() begins" },
	{ 951, "FspMemoryInit() ends" },
	{ 952, "FspTempRamExit() begins" },
	{ 953, "FspTempRamExit() ends" },
	{ 954, "FspSiliconInit() begins" },
	{ 955, "FspSiliconInit() ends" },
};

static uint16_t coreboot_u16(const uint8_t *at)
{
	return (uint16_t)(at[0] | at[1] << 8);
}

static uint32_t coreboot_u32(const uint8_t *at)
{
	return coreboot_u16(at) | (uint32_t)coreboot_u16(at + 2) << 16;
}

static uint64_t coreboot_u64(const uint8_t *at)
{
	return coreboot_u32(at) | (uint64_t)coreboot_u32(at + 4) << 32;
}

/* The Internet checksum (RFC 1071) of the bytes. */
static uint16_t coreboot_checksum(const uint8_t *bytes, size_t size)
{
	uint32_t sum = 0;

	for (size_t i = 0; i < size; i++) {
		sum += (uint32_t)bytes[i] << (i % 2 ? 8 : 0);
		sum = (sum & 0xffff) + (sum >> 16);
	}
	return (uint16_t)~sum;
}

/* The records' bytes are written to *size. NULL: no table begins here. */
static const uint8_t *coreboot_header(uint64_t address, table_view_fn view, uint32_t *size)
{
	const uint8_t *header = view(address, HEADER);

	if (!header || memcmp(header, "LBIO", 4) != 0 || coreboot_u32(header + 4) != HEADER ||
	    coreboot_checksum(header, HEADER) != 0)
		return NULL;
	*size = coreboot_u32(header + 12);
	return header;
}

uint64_t coreboot_find(table_view_fn view)
{
	uint32_t size;

	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		if (!view(places[i].from, places[i].to - places[i].from))
			continue;
		for (uint64_t at = places[i].from; at < places[i].to; at += 16) {
			if (coreboot_header(at, view, &size))
				return at;
		}
	}
	return 0;
}

static void coreboot_name(uint32_t id, char *name, size_t size)
{
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (names[i].id == id) {
			print_text(name, size, "%s", names[i].name);
			return;
		}
	}
	print_text(name, size, "timestamp %u", id);
}

/* Ticks at so many MHz as ns. False: they are too many for 64 bits. */
static bool coreboot_ns(uint64_t ticks, uint16_t mhz, uint64_t *ns)
{
	uint64_t us = ticks / mhz;

	*ns = us * 1000 + ticks % mhz * 1000 / mhz;
	return us < UINT64_MAX / 1000;
}

static const char *coreboot_read_times(uint64_t address, table_view_fn view,
                                       firmware_time_fn report, void *context)
{
	const uint8_t *table = view(address, TIMES_HEADER);
	uint64_t base = table ? coreboot_u64(table) : 0, ns;
	uint16_t mhz = table ? coreboot_u16(table + 10) : 0;
	uint32_t count = table ? coreboot_u32(table + 12) : 0;
	char name[FIRMWARE_TIME_NAME];

	if (!table)
		return "the timestamps are not in memory";
	if (mhz == 0)
		return "the timestamps have no frequency";
	if (count > coreboot_u16(table + 8) || count > FIRMWARE_TIMES_MAX ||
	    !view(address, TIMES_HEADER + (size_t)count * TIMES_ENTRY))
		return "the timestamps have a wrong length";
	if (base && coreboot_ns(base, mhz, &ns))
		report(context, ns, "the first timestamp");
	for (uint32_t i = 0; i < count; i++) {
		const uint8_t *entry = table + TIMES_HEADER + (size_t)i * TIMES_ENTRY;
		uint64_t stamp = base + coreboot_u64(entry + 4); /* signed: it wraps */

		coreboot_name(coreboot_u32(entry), name, sizeof(name));
		if (stamp && stamp <= INT64_MAX && coreboot_ns(stamp, mhz, &ns))
			report(context, ns, name);
	}
	return NULL;
}

/* Find the first record with this tag that has an address; 0: none, or the records are damaged. */
static uint64_t coreboot_address(const uint8_t *records, uint32_t size, uint32_t tag)
{
	uint32_t at = 0;

	while (size - at >= RECORD) {
		uint32_t bytes = coreboot_u32(records + at + 4);

		if (bytes < RECORD || bytes > size - at)
			return 0;
		if (coreboot_u32(records + at) == tag && bytes >= WITH_ADDRESS)
			return coreboot_u64(records + at + RECORD);
		at += bytes;
	}
	return 0;
}

const char *coreboot_read(uint64_t address, table_view_fn view, firmware_time_fn report,
                          void *context)
{
	for (unsigned i = 0; i < FORWARDS; i++) {
		uint32_t size = 0;
		const uint8_t *header = coreboot_header(address, view, &size);
		uint64_t times, next;

		if (!header)
			return "there is no coreboot table at its address";
		if (size > MAX_TABLE || !view(address, HEADER + size))
			return "the coreboot table has a wrong length";
		if (coreboot_checksum(header + HEADER, size) != coreboot_u32(header + 16))
			return "the coreboot table has a wrong checksum";
		times = coreboot_address(header + HEADER, size, TAG_TIMES);
		if (times)
			return coreboot_read_times(times, view, report, context);
		next = coreboot_address(header + HEADER, size, TAG_FORWARD);
		if (!next)
			return NULL;
		address = next;
	}
	return "coreboot tables lead to each other";
}
