/* SPDX-License-Identifier: MIT */
#include <errno.h>

#include "lib/console/console.h"
#include "lib/memory/memory.h"

/* Why arch_prepare() finds no interrupt controller for the timer, by the kind of tables that were
 * read. */
static const char *const memory_no_interrupts[] = {
	[ARCH_TABLES_NONE] =
	    "no table names an interrupt controller: the firmware has "
	    "neither ACPI tables nor a device tree that can be read",
	[ARCH_TABLES_ACPI] =
	    "ACPI: MADT: it names no interrupt controller that we know (GICD with "
	    "GICR or GICC structures); where there is a device tree, --dtb reads that",
	[ARCH_TABLES_DEVICETREE] =
	    "device tree: no interrupt controller that we know (GICv2, "
	    "GICv3); where there are ACPI tables, --acpi reads those",
};

void memory_report(int code, enum arch_tables tables)
{
	if (code == -ENODEV)
		console_printf("%s\n", memory_no_interrupts[tables]);
	if (code == -ENOTSUP)
		console_printf(
		    "the CPU supports only HCR_EL2.E2H = 1 (ID_AA64MMFR4_EL1.E2H0): have the firmware "
		    "start bareperf at EL1\n");
	if (code == -EINVAL)
		console_printf(
		    "the firmware's memory map names memory beyond 48 bits of address, which our "
		    "page tables do not reach: have it map less\n");
	if (code == -ENOMEM)
		console_printf(
		    "the firmware has no memory left for page tables and stacks (some %u MiB "
		    "free in its memory map's largest block)\n",
		    (unsigned)(memory_largest_free() >> 20));
}
