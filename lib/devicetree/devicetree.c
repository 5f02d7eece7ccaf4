/* SPDX-License-Identifier: MIT */
#include "lib/devicetree/devicetree.h"

#include <errno.h>
#include <string.h>

#include "lib/devicetree/devicetree_nodes.h"

#define HEADER_SIZE 40U         /* of version 17 */
#define MAX_TREE    (16U << 20) /* longer than any tree; a larger length is wrong */
#define VERSION_MIN 16U         /* in older versions a node's name is its path */

const void *devicetree_find_tree(uint64_t address, table_view_fn view, arch_print_fn warn)
{
	const void *fdt = view(address, HEADER_SIZE);
	uint32_t size = fdt ? fdt_totalsize(fdt) : 0;
	int code;

	if (!fdt) {
		warn("device tree: at 0x%lx there is no memory\n", address);
		return NULL;
	}
	if (fdt_magic(fdt) != FDT_MAGIC) {
		warn("device tree: at 0x%lx there is none\n", address);
		return NULL;
	}
	if (size < HEADER_SIZE || size > MAX_TREE || !view(address, size)) {
		warn("device tree: at 0x%lx, its length of %u bytes is wrong\n", address, size);
		return NULL;
	}
	/* libfdt 1.6.1 assumes that the root of an older tree has a name, and would follow NULL. */
	if (fdt_version(fdt) < VERSION_MIN) {
		warn("device tree: at 0x%lx, it is of version %u: %u and later are read\n", address,
		     fdt_version(fdt), VERSION_MIN);
		return NULL;
	}
	code = fdt_check_full(fdt, size);
	if (code)
		warn("device tree: at 0x%lx, it is damaged: %s\n", address, fdt_strerror(code));
	return code ? NULL : fdt;
}

/* ---- Reserved memory ---- */

static void devicetree_add_reserved(const struct devicetree *tree, uint64_t address, uint64_t size)
{
	struct arch_platform *platform = tree->platform;

	if (size == 0)
		return;
	if (platform->reserved_count == ARCH_MAX_RESERVED) {
		tree->warn(
		    "device tree: more than %u pieces of memory are reserved: 0x%lx is "
		    "not kept\n",
		    ARCH_MAX_RESERVED, address);
		return;
	}
	platform->reserved[platform->reserved_count].address = address;
	platform->reserved[platform->reserved_count++].size = size;
}

/* Devicetree Specification 0.4, 5.3 and 3.5. Nodes of /reserved-memory that have only a size are
 * placed by an operating system, so they are skipped. */
static void devicetree_read_reservations(const struct devicetree *tree)
{
	int parent = fdt_path_offset(tree->fdt, "/reserved-memory"), node;
	uint64_t address, size;

	for (int i = 0; i < fdt_num_mem_rsv(tree->fdt); i++)
		if (fdt_get_mem_rsv(tree->fdt, i, &address, &size) == 0)
			devicetree_add_reserved(tree, address, size);
	fdt_for_each_subnode(node, tree->fdt, parent)
	{
		if (!devicetree_is_okay(tree, node))
			continue;
		for (unsigned i = 0; devicetree_reg(tree, node, i, &address, &size) == 0; i++)
			devicetree_add_reserved(tree, address, size);
	}
}

int devicetree_parse(uint64_t address, uint64_t boot_cpu, table_view_fn view, arch_print_fn warn,
                     struct arch_platform *platform)
{
	static struct devicetree tree;

	memset(platform, 0, sizeof(*platform));
	tree = (struct devicetree){ .warn = warn, .platform = platform, .boot_cpu = boot_cpu };
	tree.fdt = devicetree_find_tree(address, view, warn);
	if (!tree.fdt)
		return -EINVAL;
	platform->is_qemu = !fdt_node_check_compatible(tree.fdt, 0, "linux,dummy-virt");
	devicetree_read_gic(&tree);
	devicetree_read_cpus(&tree);
	devicetree_read_pmus(&tree);
	devicetree_drop_cpus(&tree);
	devicetree_read_timer(&tree);
	devicetree_read_spe(&tree);
	devicetree_read_console(&tree);
	devicetree_read_pci(&tree);
	devicetree_read_reservations(&tree);
	return 0;
}
