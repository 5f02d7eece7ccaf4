/* SPDX-License-Identifier: MIT */
#include "lib/platform.h"

#include "lib/acpi.h"
#include "lib/console.h"
#include "lib/efi.h"
#include "lib/framebuffer.h"
#include "lib/memory.h"

#define COM1 0x3f8U /* where a PC has its first */

static struct arch_platform platform;
static struct uart console_uart;
static bool uart_is_taken; /* by a line, which the console's text reaches in another way */

static const void *view_memory(uint64_t address, size_t size)
{
	return memory_is_known(address, size) ? (const void *)address : NULL;
}

/* The page tables to come must have its registers. */
static void map_uart(const struct arch_uart_hint *hint)
{
	struct uart uart;

	if (uart_describe(&uart, hint) == 0 && uart.in_memory &&
	    memory_add_mapping(uart.address, uart.size, ARCH_MAP_DEVICE) != 0)
		platform.has_uart = false;
}

const struct arch_platform *platform_init(void)
{
	const void *rsdp = efi_configuration_table((EFI_GUID)ACPI_20_TABLE_GUID);

	if (!rsdp)
		rsdp = efi_configuration_table((EFI_GUID)ACPI_TABLE_GUID);
	if (!rsdp)
		console_printf("ACPI: the firmware names no tables\n");
	else
		acpi_parse((uint64_t)rsdp, view_memory, console_printf, &platform);
	if (platform.has_uart)
		map_uart(&platform.uart);
	platform.low_memory = (uint64_t)memory_alloc_pages_below(2, 1U << 20);
	return &platform;
}

static void write_uart(const char *text, size_t length)
{
	for (size_t i = 0; !uart_is_taken && i < length; i++) {
		if (text[i] == '\n')
			uart_write(&console_uart, '\r');
		uart_write(&console_uart, (uint8_t)text[i]);
	}
}

/* As ACPI says, else where a PC has one. */
static int find_uart(const struct arch_platform *facts)
{
	if (facts->has_uart && uart_describe(&console_uart, &facts->uart) == 0 &&
	    uart_open(&console_uart) == 0)
		return 0;
	uart_describe_16550(&console_uart, COM1, false, 1, 0);
	return uart_open(&console_uart);
}

void console_start(const struct arch_platform *facts)
{
	if (find_uart(facts) == 0)
		console_add_sink(write_uart);
	framebuffer_start();
}

struct uart *console_take_uart(void)
{
	uart_is_taken = true;
	return console_uart.ops ? &console_uart : NULL;
}

/* As the firmware has it. */
static struct uart *firmware_uart(void)
{
	if (!console_uart.ops &&
	    (!platform.has_uart || uart_describe(&console_uart, &platform.uart) != 0))
		uart_describe_16550(&console_uart, COM1, false, 1, 0);
	return &console_uart;
}

unsigned console_drip(const char *text, unsigned length)
{
	return uart_send(firmware_uart(), (const uint8_t *)text, length);
}

unsigned console_hear(uint8_t *bytes, unsigned count)
{
	return uart_receive(firmware_uart(), bytes, count);
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
