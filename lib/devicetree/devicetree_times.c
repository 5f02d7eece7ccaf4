/* SPDX-License-Identifier: MIT */
#include "lib/devicetree/devicetree_times.h"

#include <string.h>

#include "lib/devicetree/devicetree_nodes.h"
#include "lib/print.h"

/* Damage was already reported when the machine was described. */
static void devicetree_times_warn(const char *format, ...)
{
	(void)format;
}

/* A record has a name, and its time in us as "mark" (a moment) or "accum" (a sum). */
static void devicetree_read_record(const struct devicetree *tree, int node, firmware_time_fn report,
                                   void *context)
{
	const char *text = devicetree_text(tree, node, "name");
	uint64_t mark = devicetree_u32(tree, node, "mark", 0);
	uint64_t sum = devicetree_u32(tree, node, "accum", 0);
	char plain[FIRMWARE_TIME_NAME - sizeof(" (in all)")], name[FIRMWARE_TIME_NAME];

	if (!text || (!mark && !sum))
		return;
	firmware_time_name((const uint8_t *)text, strlen(text), plain, sizeof(plain));
	print_text(name, sizeof(name), "%s%s", plain, mark ? "" : " (in all)");
	if (name[0])
		report(context, (mark ? mark : sum) * 1000, name);
}

const char *devicetree_bootstage(uint64_t address, table_view_fn view, firmware_time_fn report,
                                 void *context)
{
	struct devicetree tree = { .fdt =
		                       devicetree_find_tree(address, view, devicetree_times_warn),
		                   .warn = devicetree_times_warn };
	unsigned count = 0;
	int node;

	if (!tree.fdt)
		return "the device tree cannot be read";
	fdt_for_each_subnode(node, tree.fdt, fdt_path_offset(tree.fdt, "/bootstage"))
	{
		if (count++ < FIRMWARE_TIMES_MAX)
			devicetree_read_record(&tree, node, report, context);
	}
	return NULL;
}

uint64_t devicetree_coreboot(uint64_t address, table_view_fn view)
{
	static const char *const kinds[] = { "coreboot", NULL };
	struct devicetree tree = { .fdt =
		                       devicetree_find_tree(address, view, devicetree_times_warn),
		                   .warn = devicetree_times_warn };
	uint64_t table, size;
	int node = tree.fdt ? devicetree_next(&tree, -1, kinds) : -1;

	return node >= 0 && devicetree_reg(&tree, node, 0, &table, &size) == 0 ? table : 0;
}
