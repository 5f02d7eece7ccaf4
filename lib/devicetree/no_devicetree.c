/* SPDX-License-Identifier: MIT */
/* Replaces all other files of this folder in images for machines that only ACPI describes. */
#include <errno.h>
#include <string.h>

#include "lib/devicetree/devicetree.h"

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
