/* SPDX-License-Identifier: MIT */
#include "lib/platform.h"

#include "arch/hosted.h"
#include "lib/acpi/acpi.h"
#include "lib/acpi/acpi_fpdt.h"
#include "lib/console/console.h"
#include "lib/console/framebuffer.h"
#include "lib/coreboot.h"
#include "lib/devicetree/devicetree.h"
#include "lib/devicetree/devicetree_times.h"
#include "lib/efi/efi.h"
#include "lib/memory/address.h"
#include "lib/memory/memory.h"
#include "lib/parse/smbios.h"
#include "lib/pci/pci.h"
#include "lib/platform_check.h"

#define COM1 0x3f8U /* the first serial port of a PC */

/* UEFI 2.10, 4.6.1.3; GNU-EFI does not declare it. */
#define DEVICE_TREE_GUID                                               \
	{                                                              \
		0xb1b621d5, 0xf19c, 0x41a5,                            \
		{                                                      \
			0x83, 0x0b, 0xd9, 0x15, 0x2c, 0x69, 0xaa, 0xe0 \
		}                                                      \
	}

static struct arch_platform platform;
static struct uart console_uart;
static bool uart_is_taken; /* a serial line uses it, and carries the console's text */

static const void *platform_view_memory(uint64_t address, size_t size)
{
	return address_refusal(address, size, ADDRESS_MEMORY) ? NULL : (const void *)address;
}

/* Our page tables must map its registers. */
static void platform_map_uart(const struct arch_uart_hint *hint)
{
	struct uart uart;

	if (uart_describe(&uart, hint) == 0 && uart.in_memory &&
	    memory_add_mapping(uart.address, uart.size, ARCH_MAP_DEVICE) != 0)
		platform.has_uart = false;
}

/* ---- ACPI or device tree ---- */

static bool platform_read_acpi(const void *rsdp)
{
	if (!rsdp ||
	    acpi_parse((uint64_t)rsdp, platform_view_memory, console_printf, &platform) != 0)
		return false;
	platform.tables = ARCH_TABLES_ACPI;
	return true;
}

static const void *platform_rsdp(void)
{
	const void *rsdp = efi_configuration_table((EFI_GUID)ACPI_20_TABLE_GUID);

	return rsdp ? rsdp : efi_configuration_table((EFI_GUID)ACPI_TABLE_GUID);
}

static bool platform_read_tree(const void *tree, uint64_t boot_cpu)
{
	if (!tree || devicetree_parse((uint64_t)tree, boot_cpu, platform_view_memory,
	                              console_printf, &platform) != 0)
		return false;
	platform.tables = ARCH_TABLES_DEVICETREE;
	return true;
}

/* Firmware that has both lets the operating system choose. ACPI is preferred, because more of its
 * tables are checked. */
static void platform_choose(enum arch_tables wanted, uint64_t boot_cpu)
{
	const void *tree = efi_configuration_table((EFI_GUID)DEVICE_TREE_GUID);
	const void *rsdp = platform_rsdp();

	if (wanted != ARCH_TABLES_DEVICETREE && platform_read_acpi(rsdp)) {
		if (tree)
			console_printf(
			    "platform: ACPI's tables are used, the device tree is "
			    "not read (--dtb)\n");
	} else if (wanted != ARCH_TABLES_ACPI && platform_read_tree(tree, boot_cpu)) {
		if (rsdp)
			console_printf(
			    "platform: the device tree is used, not ACPI's "
			    "tables%s\n",
			    wanted ? "" : ", which are unusable");
	} else {
		console_printf("platform: the firmware has %s that can be read\n",
		               wanted == ARCH_TABLES_ACPI         ? "no ACPI tables"
		               : wanted == ARCH_TABLES_DEVICETREE ? "no device tree"
		                                                  : "neither ACPI tables nor a "
		                                                    "device tree");
	}
}

/* UEFI 2.10, 4.6 */
#define PLATFORM_SMBIOS3                                               \
	{                                                              \
		0xf2fd1544, 0x9794, 0x4a2c,                            \
		{                                                      \
			0x99, 0x2e, 0xe5, 0xbb, 0xcf, 0x20, 0xe3, 0x94 \
		}                                                      \
	}
#define PLATFORM_SMBIOS                                                \
	{                                                              \
		0xeb9d2d31, 0x2d88, 0x11d3,                            \
		{                                                      \
			0x9a, 0x16, 0x00, 0x90, 0x27, 0x3f, 0xc1, 0x4d \
		}                                                      \
	}

static void platform_read_smbios(void)
{
	const void *entry = efi_configuration_table((EFI_GUID)PLATFORM_SMBIOS3);
	struct smbios_system system;

	if (!entry)
		entry = efi_configuration_table((EFI_GUID)PLATFORM_SMBIOS);
	platform.is_apple = entry &&
	                    smbios_read_system((uint64_t)entry, platform_view_memory, &system) &&
	                    smbios_is_apples_vm(&system);
}

/* Put the calling CPU first, in our numbering and in the tables read here. */
static void platform_put_first(uint64_t boot_cpu)
{
	struct arch_platform_cpu boot = { .hw_id = boot_cpu };
	unsigned at = 0;

	while (at < platform.cpu_count && platform.cpus[at].hw_id != boot_cpu)
		at++;
	if (at < platform.cpu_count)
		boot = platform.cpus[at];
	else if (at < ARCH_MAX_CPUS)
		platform.cpu_count++;
	else
		at--;
	for (; at > 0; at--)
		platform.cpus[at] = platform.cpus[at - 1];
	platform.cpus[0] = boot;
}

const struct arch_platform *platform_init(enum arch_tables wanted)
{
	struct arch_cpu_id boot;

	arch_cpu_identify(&boot);
	platform_choose(wanted, boot.hw_id);
	platform_check(&platform, console_printf);
	platform_put_first(boot.hw_id);
	platform_read_smbios();
	for (unsigned i = 0; i < platform.reserved_count; i++)
		memory_keep_off(platform.reserved[i].address, platform.reserved[i].size);
	if (platform.has_uart)
		platform_map_uart(&platform.uart);
	pci_begin(&platform);
	platform.low_memory = (uint64_t)memory_alloc_pages_below(2, 1U << 20);
	return &platform;
}

/* Damaged tables were already reported when the machine was described. */
static void platform_say_nothing(const char *format, ...)
{
	(void)format;
}

static const char *platform_fpdt(firmware_time_fn report, void *context)
{
	const void *rsdp = platform_rsdp();
	uint32_t size;
	const uint8_t *table = rsdp ? acpi_find((uint64_t)rsdp, "FPDT", platform_view_memory,
	                                        platform_say_nothing, &size)
	                            : NULL;

	return table ? fpdt_read(table, size, platform_view_memory, report, context) : NULL;
}

/* Memory below 1 MiB: firmware may leave page 0 unmapped, to catch null pointers. */
static const void *platform_view_low(uint64_t address, size_t size)
{
	return arch_can_read(address, memory_is_known) &&
	               arch_can_read(address + size - 1, memory_is_known)
	           ? platform_view_memory(address, size)
	           : NULL;
}

static const char *platform_coreboot(firmware_time_fn report, void *context)
{
	const void *tree = efi_configuration_table((EFI_GUID)DEVICE_TREE_GUID);
	uint64_t table = tree ? devicetree_coreboot((uint64_t)tree, platform_view_memory) : 0;

	if (table)
		return coreboot_read(table, platform_view_memory, report, context);
	table = coreboot_find(platform_view_low);
	return table ? coreboot_read(table, platform_view_memory, report, context) : NULL;
}

const char *platform_firmware_times(enum platform_times source, firmware_time_fn report,
                                    void *context)
{
	const void *tree = efi_configuration_table((EFI_GUID)DEVICE_TREE_GUID);

	if (source == PLATFORM_FPDT)
		return platform_fpdt(report, context);
	if (source == PLATFORM_COREBOOT)
		return platform_coreboot(report, context);
	return tree ? devicetree_bootstage((uint64_t)tree, platform_view_memory, report, context)
	            : NULL;
}

static void platform_write_uart(const char *text, size_t length)
{
	for (size_t i = 0; !uart_is_taken && i < length; i++) {
		if (text[i] == '\n')
			uart_write(&console_uart, '\r');
		uart_write(&console_uart, (uint8_t)text[i]);
	}
}

/* From the tables, or else at a PC's usual address. */
static int platform_find_uart(const struct arch_platform *facts)
{
	if (facts->has_uart && uart_describe(&console_uart, &facts->uart) == 0 &&
	    uart_open(&console_uart) == 0)
		return 0;
	uart_describe_16550(&console_uart, COM1, false, 1, 0);
	return uart_open(&console_uart);
}

void console_start(const struct arch_platform *facts)
{
	if (platform_find_uart(facts) == 0)
		console_add_sink(platform_write_uart);
	framebuffer_start();
}

struct uart *console_take_uart(void)
{
	uart_is_taken = true;
	return console_uart.ops ? &console_uart : NULL;
}

/* The firmware's UART with the firmware's settings. */
static struct uart *platform_firmware_uart(void)
{
	if (!console_uart.ops &&
	    (!platform.has_uart || uart_describe(&console_uart, &platform.uart) != 0))
		uart_describe_16550(&console_uart, COM1, false, 1, 0);
	return &console_uart;
}

unsigned console_drip(const char *text, unsigned length)
{
	return uart_send(platform_firmware_uart(), (const uint8_t *)text, length);
}

unsigned console_hear(uint8_t *bytes, unsigned count)
{
	return uart_receive(platform_firmware_uart(), bytes, count);
}

_Noreturn void machine_reset(enum machine_reset how)
{
	if (how == MACHINE_STAY)
		arch_halt();
	arch_give_back();
	efi_system->RuntimeServices->ResetSystem(
	    how == MACHINE_POWEROFF ? EfiResetShutdown : EfiResetWarm, EFI_SUCCESS, 0, NULL);
	arch_halt();
}
