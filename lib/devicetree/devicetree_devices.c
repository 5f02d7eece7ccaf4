/* SPDX-License-Identifier: MIT */
/* The console, and PCI. */
#include <string.h>

#include "lib/devicetree/devicetree_nodes.h"

/* SPCR's types, as struct arch_uart_hint has them. */
#define TYPE_16550 0x00
#define TYPE_PL011 0x03
#define TYPE_SBSA  0x0e

/* ---- /chosen: Devicetree Specification 0.4, 3.6 ---- */

/* PATH or ALIAS, then perhaps ":115200n8". */
static int devicetree_find_console(const struct devicetree *tree, const char **options)
{
	int chosen = fdt_path_offset(tree->fdt, "/chosen"), node;
	const char *path = devicetree_text(tree, chosen, "stdout-path");
	size_t length;

	if (!path)
		path = devicetree_text(tree, chosen, "linux,stdout-path");
	if (!path) {
		tree->warn(
		    "device tree: /chosen: stdout-path: it is missing: the console has no "
		    "serial line\n");
		return -1;
	}
	length = strcspn(path, ":");
	*options = path[length] ? path + length + 1 : "";
	node = fdt_path_offset_namelen(tree->fdt, path, (int)length);
	if (node < 0)
		devicetree_warn(tree, chosen, "stdout-path", "it names no node");
	return node;
}

static uint32_t devicetree_parse_baud(const char *options)
{
	uint32_t baud = 0;

	for (; *options >= '0' && *options <= '9' && baud < 100000000; options++)
		baud = 10 * baud + (uint32_t)(*options - '0');
	return baud;
}

static const struct uart_kind {
	const char *compatible;
	uint8_t type; /* SPCR's */
} uart_kinds[] = {
	{ "arm,pl011", TYPE_PL011 }, { "arm,sbsa-uart", TYPE_SBSA },     { "ns16550a", TYPE_16550 },
	{ "ns16550", TYPE_16550 },   { "ns16450", TYPE_16550 },          { "ns8250", TYPE_16550 },
	{ "ns16750", TYPE_16550 },   { "snps,dw-apb-uart", TYPE_16550 },
};

/* The first that we know of the names in the node's order, which is from the special to the
 * general; NULL: none of them. */
static const struct uart_kind *devicetree_uart_kind(const struct devicetree *tree, int node)
{
	const char *name;

	for (int i = 0; (name = fdt_stringlist_get(tree->fdt, node, "compatible", i, NULL)); i++)
		for (unsigned k = 0; k < sizeof(uart_kinds) / sizeof(uart_kinds[0]); k++)
			if (strcmp(name, uart_kinds[k].compatible) == 0)
				return &uart_kinds[k];
	return NULL;
}

/* Linux's 8250.yaml, snps-dw-apb-uart.yaml and pl011.yaml */
void devicetree_read_console(const struct devicetree *tree)
{
	struct arch_platform *platform = tree->platform;
	const char *options = "";
	int node = devicetree_find_console(tree, &options);
	const struct uart_kind *kind;
	uint32_t width, shift;
	uint64_t address, size;

	if (node < 0)
		return;
	kind = devicetree_uart_kind(tree, node);
	width = devicetree_u32(tree, node, "reg-io-width", 1);
	shift = devicetree_u32(tree, node, "reg-shift", 0);
	if (!kind) {
		devicetree_warn(tree, node, "compatible",
		                "no UART that we know (PL011, SBSA's, 16550, dw-apb-uart): the "
		                "console has no serial line");
	} else if (kind->type == TYPE_16550 && ((width != 1 && width != 4) || shift > 4)) {
		devicetree_warn(tree, node, "reg-io-width, reg-shift",
		                "accesses of 1 or 4 bytes are made, registers up to 16 apart");
	} else if (devicetree_reg(tree, node, 0, &address, &size) || address == 0) {
		devicetree_warn(tree, node, "reg", "it gives no address that the CPUs reach");
	} else {
		platform->has_uart = true;
		platform->uart = (struct arch_uart_hint){
			.interface_type = kind->type,
			.access_size = (uint8_t)width,
			.reg_shift = (uint8_t)shift,
			.address = address,
			.clock = devicetree_u32(tree, node, "clock-frequency", 0),
			.baud = devicetree_u32(tree, node, "current-speed",
			                       devicetree_parse_baud(options)),
		};
	}
}

/* ---- PCI: Linux's host-generic-pci.yaml; "reg" begins with the first bus of "bus-range" ---- */

#define BUS_SHIFT 20

/* Of "ranges", after IEEE 1275's PCI bus binding, 2.2.1.1: the first of a PCI address's three cells
 * says of which space it is. */
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
