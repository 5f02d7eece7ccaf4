/* SPDX-License-Identifier: MIT */
#include "lib/platform_check.h"

#include "lib/memory/address.h"
#include "lib/uart/uart.h"

#define ACPI_IO 1U /* address space of a generic address: I/O ports, else memory */

/* Bytes of the registers that are accessed. */
#define HPET_SIZE     1024U
#define PM_TIMER_SIZE 4U
#define IOAPIC_SIZE   32U
#define GICD_SIZE     0x10000U
#define GICC_SIZE     0x2000U
#define GICR_SIZE     0x20000U /* frames of one CPU */
#define ITS_SIZE      0x10000U
#define BUS_SHIFT     20U /* position of a bus number in a configuration space address */

struct platform_check {
	struct arch_platform *platform;
	arch_print_fn warn;
};

static const char *platform_check_tables(const struct platform_check *check)
{
	return check->platform->tables == ARCH_TABLES_DEVICETREE ? "device tree" : "ACPI";
}

static bool platform_check_use(const struct platform_check *check, const char *what,
                               uint64_t address, uint64_t size, enum address_use use)
{
	const char *why = address_refusal(address, size, use);

	if (why)
		check->warn("%s: %s at 0x%lx, 0x%lx bytes: %s: it is left out\n",
		            platform_check_tables(check), what, address, size, why);
	return !why;
}

/* Check a member that may be 0. */
static void platform_check_member(const struct platform_check *check, const char *what,
                                  uint64_t *address, uint64_t size)
{
	if (*address != 0 && !platform_check_use(check, what, *address, size, ADDRESS_REGISTERS))
		*address = 0;
}

static void platform_check_pm_timer(const struct platform_check *check)
{
	struct arch_platform *platform = check->platform;

	if (platform->pm_timer != 0 &&
	    !platform_check_use(check, "the PM timer (FADT)", platform->pm_timer, PM_TIMER_SIZE,
	                        platform->pm_timer_space == ACPI_IO ? ADDRESS_PORTS
	                                                            : ADDRESS_REGISTERS))
		platform->pm_timer = 0;
}

/* ---- UARTs ---- */

static bool platform_check_uart(const struct platform_check *check,
                                const struct arch_uart_hint *hint)
{
	struct uart uart;

	if (uart_describe(&uart, hint) != 0) {
		check->warn(
		    "%s: a UART at 0x%lx is of type 0x%x, which has no driver: "
		    "it is left out\n",
		    platform_check_tables(check), hint->address, hint->interface_type);
		return false;
	}
	return platform_check_use(check, "a UART", uart.address, uart.size,
	                          uart.in_memory ? ADDRESS_DEVICE : ADDRESS_PORTS);
}

static void platform_check_uarts(const struct platform_check *check)
{
	struct arch_platform *platform = check->platform;

	if (!platform->has_uart)
		return;
	platform->has_uart = platform_check_uart(check, &platform->uart);
	for (unsigned i = 0; !platform->has_uart && i < platform->other_uart_count; i++) {
		platform->uart = platform->other_uarts[i];
		platform->has_uart = platform_check_uart(check, &platform->uart);
	}
}

/* ---- Lists ---- */

static void platform_check_ioapics(const struct platform_check *check)
{
	struct arch_platform *platform = check->platform;
	unsigned kept = 0;

	for (unsigned i = 0; i < platform->ioapic_count; i++)
		if (platform_check_use(check, "an I/O APIC (MADT)", platform->ioapics[i],
		                       IOAPIC_SIZE, ADDRESS_REGISTERS))
			platform->ioapics[kept++] = platform->ioapics[i];
	platform->ioapic_count = kept;
}

static void platform_check_gicrs(const struct platform_check *check)
{
	struct arch_platform *platform = check->platform;
	unsigned kept = 0;

	for (unsigned i = 0; i < platform->gicr_count; i++) {
		uint64_t size = platform->gicr[i].size;

		if (platform_check_use(check, "redistributors of the GIC",
		                       platform->gicr[i].address, size ? size : GICR_SIZE,
		                       ADDRESS_REGISTERS))
			platform->gicr[kept++] = platform->gicr[i];
	}
	platform->gicr_count = kept;
}

static void platform_check_ecams(const struct platform_check *check)
{
	struct arch_platform *platform = check->platform;
	unsigned kept = 0;

	for (unsigned i = 0; i < platform->ecam_count; i++) {
		uint64_t first = platform->ecams[i].first_bus;
		uint64_t buses = platform->ecams[i].last_bus - first + 1;

		if (platform_check_use(check, "PCI configuration space",
		                       platform->ecams[i].address + (first << BUS_SHIFT),
		                       buses << BUS_SHIFT, ADDRESS_REGISTERS))
			platform->ecams[kept++] = platform->ecams[i];
	}
	platform->ecam_count = kept;
}

/* Bus addresses belong to the host bridge and may have any width, so only the CPUs' addresses are
 * checked. */
static void platform_check_windows(const struct platform_check *check)
{
	struct arch_platform *platform = check->platform;
	unsigned kept = 0;

	for (unsigned i = 0; i < platform->window_count; i++) {
		const struct arch_pci_window *window = &platform->windows[i];

		if (window->size != 0 &&
		    platform_check_use(check, "a window of PCI", window->address, window->size,
		                       ADDRESS_ANY))
			platform->windows[kept++] = *window;
	}
	platform->window_count = kept;
}

static void platform_check_reserved(const struct platform_check *check)
{
	struct arch_platform *platform = check->platform;
	unsigned kept = 0;

	for (unsigned i = 0; i < platform->reserved_count; i++) {
		if (platform_check_use(check, "reserved memory", platform->reserved[i].address,
		                       platform->reserved[i].size, ADDRESS_ANY))
			platform->reserved[kept++] = platform->reserved[i];
	}
	platform->reserved_count = kept;
}

/* ---- Watchdogs ---- */

static bool platform_check_step(const struct platform_check *check,
                                const struct arch_watchdog_step *step)
{
	return platform_check_use(check, "a watchdog's register", step->address, step->bytes,
	                          step->io ? ADDRESS_PORTS : ADDRESS_DEVICE);
}

/* Half of the refresh sequence may do more harm than none. */
static void platform_check_watchdog(const struct platform_check *check)
{
	struct arch_platform *platform = check->platform;
	bool all = true;

	for (unsigned i = 0; all && i < platform->watchdog_step_count; i++)
		all = platform_check_step(check, &platform->watchdog_steps[i]);
	if (all && platform->watchdog_state.bytes)
		all = platform_check_step(check, &platform->watchdog_state);
	if (!all) {
		platform->watchdog_step_count = 0;
		platform->watchdog_state.bytes = 0;
	}
}

void platform_check(struct arch_platform *platform, arch_print_fn warn)
{
	const struct platform_check check = { .platform = platform, .warn = warn };

	platform_check_member(&check, "the HPET", &platform->hpet, HPET_SIZE);
	platform_check_pm_timer(&check);
	platform_check_ioapics(&check);
	platform_check_member(&check, "the GIC's distributor", &platform->gicd, GICD_SIZE);
	platform_check_member(&check, "the GIC's CPU interface", &platform->gicc, GICC_SIZE);
	platform_check_member(&check, "the GIC's ITS", &platform->gic_its, ITS_SIZE);
	platform_check_gicrs(&check);
	platform_check_uarts(&check);
	platform_check_ecams(&check);
	platform_check_windows(&check);
	platform_check_reserved(&check);
	platform_check_watchdog(&check);
}
