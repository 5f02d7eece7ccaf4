/* SPDX-License-Identifier: MIT */
/* Parsers of the tables that describe single devices: timers, UARTs, PCI host bridges. */
#include <string.h>

#include "lib/acpi/acpi_tables.h"

/* Generic Address Structure, ACPI 6.5, 5.2.3.2; 12 bytes */
struct generic_address {
	uint8_t space;
	uint8_t bit_width;
	uint8_t access_size; /* bytes; 0 unknown */
	uint64_t address;
};

static struct generic_address acpi_parse_address(const uint8_t *at)
{
	return (struct generic_address){
		.space = at[0],
		.bit_width = at[1],
		.access_size = (uint8_t)(at[3] >= 1 && at[3] <= 4 ? 1U << (at[3] - 1) : 0),
		.address = acpi_u64(at + 4),
	};
}

/* 5.2.9, table 5.9 */
#define FADT_OEM_ID        10
#define FADT_PM_TMR_BLK    76
#define FADT_PM_TMR_LEN    91
#define FADT_FLAGS         112
#define FADT_TMR_VAL_EXT   (1U << 8) /* the timer has 32 bits, else 24 */
#define FADT_ARM_BOOT_ARCH 129
#define FADT_ARM_PSCI      (1U << 0)
#define FADT_ARM_PSCI_HVC  (1U << 1)
#define FADT_X_PM_TMR_BLK  208

void acpi_parse_fadt(const uint8_t *table, uint32_t size, struct arch_platform *platform)
{
	uint32_t flags = acpi_u32(table + FADT_FLAGS);

	platform->is_qemu = !memcmp(table + FADT_OEM_ID, "BOCHS ", 6);
	if (table[FADT_PM_TMR_LEN] == 4) {
		platform->pm_timer = acpi_u32(table + FADT_PM_TMR_BLK);
		platform->pm_timer_space = 1;
	}
	if (size >= FADT_X_PM_TMR_BLK + 12) {
		struct generic_address timer = acpi_parse_address(table + FADT_X_PM_TMR_BLK);

		if (timer.address != 0 && timer.space <= 1) {
			platform->pm_timer = timer.address;
			platform->pm_timer_space = timer.space;
		}
	}
	platform->pm_timer_bits = flags & FADT_TMR_VAL_EXT ? 32 : 24;
	if (size >= FADT_ARM_BOOT_ARCH + 2) {
		uint16_t arm = acpi_u16(table + FADT_ARM_BOOT_ARCH);

		platform->psci = arm & FADT_ARM_PSCI;
		platform->psci_hvc = arm & FADT_ARM_PSCI_HVC;
	}
}

/* IA-PC HPET specification 1.0a, 3.2.4 */
void acpi_parse_hpet(const uint8_t *table, uint32_t size, struct arch_platform *platform)
{
	struct generic_address registers = acpi_parse_address(table + 40);

	(void)size;
	if (registers.space == 0)
		platform->hpet = registers.address;
}

/* Fill struct arch_uart_hint. Returns false if the address space is not supported or the address is
 * 0. */
static bool acpi_describe_uart(struct arch_uart_hint *uart, uint16_t type,
                               struct generic_address base)
{
	*uart = (struct arch_uart_hint){
		.interface_type = type,
		.space = base.space,
		.access_size = base.access_size,
		.reg_shift = base.space == 0 && base.bit_width == 32   ? 2
		             : base.space == 0 && base.bit_width == 16 ? 1
		                                                       : 0,
		.address = base.address,
	};
	return base.address != 0 && base.space <= 1;
}

/* Append a UART; the first one is platform->uart. */
static void acpi_add_uart(struct arch_platform *platform, const struct arch_uart_hint *uart)
{
	if (!platform->has_uart)
		platform->uart = *uart;
	else if (platform->other_uart_count < ARCH_MAX_OTHER_UARTS)
		platform->other_uarts[platform->other_uart_count++] = *uart;
	platform->has_uart = true;
}

/* Microsoft, "Serial Port Console Redirection Table", revision 1.10. The rate is a code for one
 * of a few rates (0: as it is set), or, in newer tables, exact; the clock is in newer tables as
 * well. */
#define SPCR_TYPE         36
#define SPCR_BASE         40
#define SPCR_BAUD         58
#define SPCR_CLOCK        76
#define SPCR_PRECISE_BAUD 80

static uint32_t acpi_parse_baud(const uint8_t *table, uint32_t size)
{
	static const uint32_t bauds[] = { [3] = 9600, [4] = 19200, [6] = 57600, [7] = 115200 };
	uint32_t precise = size >= SPCR_PRECISE_BAUD + 4 ? acpi_u32(table + SPCR_PRECISE_BAUD) : 0;

	if (precise || size <= SPCR_BAUD)
		return precise;
	return table[SPCR_BAUD] < sizeof(bauds) / sizeof(bauds[0]) ? bauds[table[SPCR_BAUD]] : 0;
}

void acpi_parse_spcr(const uint8_t *table, uint32_t size, struct arch_platform *platform)
{
	struct arch_uart_hint uart, second = platform->uart;
	bool had_one = platform->has_uart;

	if (!acpi_describe_uart(&uart, table[SPCR_TYPE], acpi_parse_address(table + SPCR_BASE)))
		return;
	uart.baud = acpi_parse_baud(table, size);
	uart.clock = size >= SPCR_CLOCK + 4 ? acpi_u32(table + SPCR_CLOCK) : 0;
	platform->has_uart = true;
	platform->uart = uart;
	if (had_one)
		acpi_add_uart(platform, &second);
}

/* Microsoft, "Debug Port Table 2": device information structures */
#define DBG2_SERIAL 0x8000U

static void acpi_parse_debug_device(const uint8_t *device, unsigned length,
                                    struct arch_platform *platform)
{
	unsigned address_offset = acpi_u16(device + 18);

	struct arch_uart_hint uart;

	if (device[3] == 0 || acpi_u16(device + 12) != DBG2_SERIAL || address_offset + 12 > length)
		return;
	if (acpi_describe_uart(&uart, acpi_u16(device + 14),
	                       acpi_parse_address(device + address_offset)))
		acpi_add_uart(platform, &uart);
}

void acpi_parse_dbg2(const uint8_t *table, uint32_t size, struct arch_platform *platform)
{
	uint32_t at = acpi_u32(table + 36), count = acpi_u32(table + 40);

	for (; count > 0 && at < size && size - at >= 22; count--) {
		unsigned length = acpi_u16(table + at + 1);

		if (length < 22 || length > size - at)
			break;
		acpi_parse_debug_device(table + at, length, platform);
		at += length;
	}
}

/* ACPI 6.5, 5.2.25, table 5.118 */
void acpi_parse_gtdt(const uint8_t *table, uint32_t size, struct arch_platform *platform)
{
	acpi_find_watchdog(table, size, platform);
	platform->timer_el1_interrupt = acpi_u32(table + 56);
	platform->timer_virtual_interrupt = acpi_u32(table + 64);
	platform->timer_el2_interrupt = acpi_u32(table + 72);
}

/* PCI Firmware Specification 3.2, 4.1.2: allocations of 16 bytes, each with the address of bus 0.
 */
void acpi_parse_mcfg(const uint8_t *table, uint32_t size, struct arch_platform *platform)
{
	for (uint32_t at = 44; size - at >= 16 && platform->ecam_count < ARCH_MAX_ECAMS; at += 16) {
		uint64_t address = acpi_u64(table + at);
		uint8_t first = table[at + 10], last = table[at + 11];

		if (address == 0 || last < first)
			continue;
		platform->ecams[platform->ecam_count].address = address;
		platform->ecams[platform->ecam_count].segment = acpi_u16(table + at + 8);
		platform->ecams[platform->ecam_count].first_bus = first;
		platform->ecams[platform->ecam_count++].last_bus = last;
	}
}
