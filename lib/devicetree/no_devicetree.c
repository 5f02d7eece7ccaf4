/* SPDX-License-Identifier: MIT */
/* Replaces all other files of this folder in images for machines that only ACPI describes. */
#include <errno.h>
#include <string.h>

#include "lib/devicetree/devicetree.h"
#include "lib/devicetree/devicetree_times.h"

int devicetree_parse(uint64_t address, uint64_t boot_cpu, table_view_fn view, arch_print_fn warn,
                     struct arch_platform *platform)
{
	(void)boot_cpu;
	(void)view;
	memset(platform, 0, sizeof(*platform));
	warn("device tree: at 0x%lx, it is not read: this image knows ACPI's tables alone\n",
	     address);
	return -EINVAL;
}

const char *devicetree_bootstage(uint64_t address, table_view_fn view, firmware_time_fn report,
                                 void *context)
{
	(void)address;
	(void)view;
	(void)report;
	(void)context;
	return "this image reads no device tree";
}

uint64_t devicetree_coreboot(uint64_t address, table_view_fn view)
{
	(void)address;
	(void)view;
	return 0;
}
