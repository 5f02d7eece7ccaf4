/* SPDX-License-Identifier: MIT */
/* Reads PCI host bridges. */
#include "lib/devicetree/devicetree_nodes.h"

/* ---- Linux's host-generic-pci.yaml; "reg" begins with the first bus of "bus-range" ---- */

#define BUS_SHIFT 20

/* "ranges", after IEEE 1275's PCI bus binding, 2.2.1.1: the first of a PCI address's three cells
 * selects the address space. */
#define PCI_CELLS   3U
#define SIZE_CELLS  2U
#define SPACE(cell) ((cell) >> 24 & 3)
#define SPACE_IO    1U

static uint16_t devicetree_segment_of(const struct devicetree *tree, int node)
{
	return (uint16_t)devicetree_u32(tree, node, "linux,pci-domain", 0);
}

static void devicetree_add_window(const struct devicetree *tree, int node, const fdt32_t *range,
                                  unsigned above_cells)
{
	struct arch_platform *platform = tree->platform;
	struct arch_pci_window window = {
		.bus_address = devicetree_number(range + 1, PCI_CELLS - 1),
		.address = devicetree_number(range + PCI_CELLS, above_cells),
		.size = devicetree_number(range + PCI_CELLS + above_cells, SIZE_CELLS),
		.segment = devicetree_segment_of(tree, node),
		.io = SPACE(fdt32_ld(range)) == SPACE_IO,
	};

	if (devicetree_translate(tree, fdt_parent_offset(tree->fdt, node), &window.address)) {
		devicetree_warn(tree, node, "ranges", "an entry lies where the CPUs do not reach");
		return;
	}
	if (SPACE(fdt32_ld(range)) != 0 && platform->window_count < ARCH_MAX_WINDOWS)
		platform->windows[platform->window_count++] = window;
}

static void devicetree_add_windows(const struct devicetree *tree, int node)
{
	int above_cells = fdt_address_cells(tree->fdt, fdt_parent_offset(tree->fdt, node));
	unsigned count, entry;
	const fdt32_t *ranges = devicetree_cells(tree, node, "ranges", &count);

	if (!ranges || above_cells < 1)
		return;
	entry = PCI_CELLS + (unsigned)above_cells + SIZE_CELLS;
	if (count % entry != 0)
		devicetree_warn(tree, node, "ranges", "it ends in the middle of an entry");
	for (; count >= entry; count -= entry, ranges += entry)
		devicetree_add_window(tree, node, ranges, (unsigned)above_cells);
}

static void devicetree_add_ecam(const struct devicetree *tree, int node)
{
	struct arch_platform *platform = tree->platform;
	uint32_t first = 0, last = 0xff;
	unsigned count;
	const fdt32_t *buses = devicetree_cells(tree, node, "bus-range", &count);
	uint64_t address, size;

	if (buses && count == 2) {
		first = fdt32_ld(&buses[0]);
		last = fdt32_ld(&buses[1]);
	}
	if (devicetree_reg(tree, node, 0, &address, &size) || size >> BUS_SHIFT == 0 ||
	    first > last || last > 0xff || address < (uint64_t)first << BUS_SHIFT) {
		devicetree_warn(tree, node, "reg, bus-range",
		                "they do not say where its configuration space is");
		return;
	}
	if (last - first >= size >> BUS_SHIFT)
		last = first + (uint32_t)(size >> BUS_SHIFT) - 1;
	if (platform->ecam_count == ARCH_MAX_ECAMS)
		return;
	platform->ecams[platform->ecam_count].address = address - ((uint64_t)first << BUS_SHIFT);
	platform->ecams[platform->ecam_count].segment = devicetree_segment_of(tree, node);
	platform->ecams[platform->ecam_count].first_bus = (uint8_t)first;
	platform->ecams[platform->ecam_count++].last_bus = (uint8_t)last;
}

void devicetree_read_pci(const struct devicetree *tree)
{
	static const char *const kinds[] = { "pci-host-ecam-generic", NULL };
	int node = -1;

	while ((node = devicetree_next(tree, node, kinds)) >= 0) {
		devicetree_add_ecam(tree, node);
		devicetree_add_windows(tree, node);
	}
}
