/* SPDX-License-Identifier: MIT */
#include "lib/acpi/acpi_fpdt.h"

#include <string.h>

#include "lib/acpi/acpi_tables.h"
#include "lib/print.h"

#define MAX_TABLE     (16U << 20) /* as for static tables: a larger length is wrong */
#define FBPT_HEADER   8U          /* signature, length */
#define RECORD_HEADER 4U          /* type u16, length u8, revision u8 */
#define POINTER       0x0000U     /* type of a record in the FPDT: pointer to the FBPT */
#define POINTER_SIZE  16U
/* type of a record in the FBPT: Firmware Basic Boot Performance Data Record */
#define BASIC         0x0002U

/* EDK2's records: header, progress id u16, APIC id u32, time u64, GUID, and fields of each type. */
#define EDK2_PROGRESS 4U
#define EDK2_TIME     10U
#define EDK2_GUID     18U
#define EDK2_LEAST    34U

struct fpdt {
	table_view_fn view;
	firmware_time_fn report;
	void *context;
	unsigned reported;
};

static const struct {
	uint8_t at;
	const char *name;
} basic[] = {
	{ 8, "reset ends" },
	{ 16, "OS loader: LoadImage() starts" },
	{ 24, "OS loader: StartImage() starts" },
	{ 32, "ExitBootServices() is entered" },
	{ 40, "ExitBootServices() is left" },
};

/* The offset of the text in such a record; 0: it has none. */
static const struct {
	uint16_t type;
	uint8_t text;
} edk2[] = {
	{ 0x1010, 0 }, { 0x1011, 34 }, { 0x1012, 50 }, { 0x1013, 0 }, { 0x1014, 42 },
};

static void fpdt_report(struct fpdt *fpdt, uint64_t ns, const char *name)
{
	if (ns && fpdt->reported++ < FIRMWARE_TIMES_MAX)
		fpdt->report(fpdt->context, ns, name);
}

static void fpdt_basic(struct fpdt *fpdt, const uint8_t *record, uint8_t size)
{
	for (size_t i = 0; i < sizeof(basic) / sizeof(basic[0]); i++) {
		if (basic[i].at + 8U <= size)
			fpdt_report(fpdt, acpi_u64(record + basic[i].at), basic[i].name);
	}
}

static void acpi_fpdt_name_by_guid(const uint8_t *guid, char *name, size_t size)
{
	print_text(name, size, "%08x-%04x-%04x-%02x%02x-%02x%02x%02x%02x%02x%02x", acpi_u32(guid),
	           acpi_u16(guid + 4), acpi_u16(guid + 6), guid[8], guid[9], guid[10], guid[11],
	           guid[12], guid[13], guid[14], guid[15]);
}

/* The lowest four bits of the progress id are 0 for a begin, and not 0 for an end. */
static void fpdt_edk2(struct fpdt *fpdt, const uint8_t *record, uint8_t size, uint8_t text)
{
	uint16_t progress;
	char what[64], name[FIRMWARE_TIME_NAME];

	if (size < EDK2_LEAST)
		return;
	progress = acpi_u16(record + EDK2_PROGRESS);
	if (!text || text >= size ||
	    !firmware_time_name(record + text, size - text, what, sizeof(what)))
		acpi_fpdt_name_by_guid(record + EDK2_GUID, what, sizeof(what));
	print_text(name, sizeof(name), "%s %s (0x%04x)", what, progress & 15 ? "ends" : "begins",
	           progress);
	fpdt_report(fpdt, acpi_u64(record + EDK2_TIME), name);
}

static void fpdt_record(struct fpdt *fpdt, const uint8_t *record, uint8_t size)
{
	uint16_t type = acpi_u16(record);

	if (type == BASIC)
		fpdt_basic(fpdt, record, size);
	for (size_t i = 0; i < sizeof(edk2) / sizeof(edk2[0]); i++) {
		if (edk2[i].type == type)
			fpdt_edk2(fpdt, record, size, edk2[i].text);
	}
}

/* Unused room is zeros, so a record without a length ends the table. */
static const char *acpi_fpdt_fbpt_read(struct fpdt *fpdt, uint64_t address)
{
	const uint8_t *table = fpdt->view(address, FBPT_HEADER);
	uint32_t size, at = FBPT_HEADER;

	if (!table)
		return "the boot performance table is not in memory";
	if (memcmp(table, "FBPT", 4) != 0)
		return "there is no boot performance table at its address";
	size = acpi_u32(table + 4);
	if (size < FBPT_HEADER || size > MAX_TABLE || !fpdt->view(address, size))
		return "the boot performance table has a wrong length";
	while (at + RECORD_HEADER <= size && table[at + 2]) {
		uint8_t length = table[at + 2];

		if (length < RECORD_HEADER || length > size - at)
			return "a record of the boot performance table has a wrong length";
		fpdt_record(fpdt, table + at, length);
		at += length;
	}
	return NULL;
}

const char *fpdt_read(const uint8_t *table, uint32_t size, table_view_fn view,
                      firmware_time_fn report, void *context)
{
	struct fpdt fpdt = { .view = view, .report = report, .context = context };
	uint32_t at = ACPI_HEADER_SIZE;

	while (at + RECORD_HEADER <= size) {
		uint8_t length = table[at + 2];

		if (length < RECORD_HEADER || length > size - at)
			return "a record has a wrong length";
		if (acpi_u16(table + at) == POINTER && length >= POINTER_SIZE)
			return acpi_fpdt_fbpt_read(&fpdt, acpi_u64(table + at + 8));
		at += length;
	}
	return "no record leads to the boot performance table";
}
