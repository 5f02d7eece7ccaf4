/* SPDX-License-Identifier: MIT */
#include "lib/platform.h"

#include "lib/acpi.h"
#include "lib/console.h"
#include "lib/efi.h"
#include "lib/framebuffer.h"
#include "lib/memory.h"

static struct arch_platform platform;

static const void *view_memory(uint64_t address, size_t size)
{
	return memory_is_known(address, size) ? (const void *)address : NULL;
}

const struct arch_platform *platform_init(void)
{
	const void *rsdp = efi_configuration_table((EFI_GUID)ACPI_20_TABLE_GUID);

	if (rsdp == NULL)
		rsdp = efi_configuration_table((EFI_GUID)ACPI_TABLE_GUID);
	if (rsdp == NULL)
		console_printf("ACPI: the firmware names no tables\n");
	else
		acpi_parse((uint64_t)rsdp, view_memory, console_printf, &platform);
	platform.low_memory = (uint64_t)memory_alloc_pages_below(2, 1U << 20);
	return &platform;
}

static void write_uart(const char *text, size_t length)
{
	for (size_t i = 0; i < length; i++) {
		if (text[i] == '\n')
			arch_uart_putc('\r');
		arch_uart_putc(text[i]);
	}
}

void console_start(const struct arch_platform *facts)
{
	if (arch_uart_init(facts->has_uart ? &facts->uart : NULL) == 0)
		console_add_sink(write_uart);
	framebuffer_start();
}

_Noreturn void machine_reset(enum machine_reset how)
{
	if (how == MACHINE_STAY)
		arch_halt();
	arch_give_back();
	efi_system->RuntimeServices->ResetSystem(
	    how == MACHINE_POWEROFF ? EfiResetShutdown : EfiResetCold, EFI_SUCCESS, 0, NULL);
	arch_halt();
}
