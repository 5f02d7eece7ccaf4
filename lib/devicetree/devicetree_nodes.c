/* SPDX-License-Identifier: MIT */
#include "lib/devicetree/devicetree_nodes.h"

#include <errno.h>
#include <string.h>

#define PATH_MAX_LENGTH 96
#define DEEPEST         16 /* buses between a device and the root */

void devicetree_warn(const struct devicetree *tree, int node, const char *property,
                     const char *what)
{
	char path[PATH_MAX_LENGTH];

	if (fdt_get_path(tree->fdt, node, path, sizeof(path)) != 0)
		path[0] = 0;
	tree->warn("device tree: %s: %s%s%s\n", path, property ? property : "",
	           property ? ": " : "", what);
}

/* ---- Properties ---- */

const fdt32_t *devicetree_cells(const struct devicetree *tree, int node, const char *property,
                                unsigned *count)
{
	int size = 0;
	const fdt32_t *cells = node < 0 ? NULL : fdt_getprop(tree->fdt, node, property, &size);

	*count = 0;
	if (!cells || size < 0 || size % 4 != 0)
		return NULL;
	*count = (unsigned)size / 4;
	return cells;
}

uint64_t devicetree_number(const fdt32_t *cells, unsigned count)
{
	uint64_t number = 0;

	for (unsigned i = 0; i < count; i++)
		number = number << 32 | fdt32_ld(&cells[i]);
	return number;
}

uint32_t devicetree_u32(const struct devicetree *tree, int node, const char *property,
                        uint32_t fallback)
{
	unsigned count;
	const fdt32_t *cells = devicetree_cells(tree, node, property, &count);

	return cells && count == 1 ? fdt32_ld(cells) : fallback;
}

const char *devicetree_text(const struct devicetree *tree, int node, const char *property)
{
	int size = 0;
	const char *text = node < 0 ? NULL : fdt_getprop(tree->fdt, node, property, &size);

	return text && size > 0 && memchr(text, 0, (size_t)size) ? text : NULL;
}

bool devicetree_is_okay(const struct devicetree *tree, int node)
{
	const char *status = devicetree_text(tree, node, "status");

	return !status || strcmp(status, "okay") == 0 || strcmp(status, "ok") == 0;
}

const char *devicetree_kind(const struct devicetree *tree, int node, const char *const *kinds)
{
	for (; node >= 0 && *kinds; kinds++)
		if (fdt_node_check_compatible(tree->fdt, node, *kinds) == 0)
			return *kinds;
	return NULL;
}

int devicetree_next(const struct devicetree *tree, int after, const char *const *kinds)
{
	int node = after;

	while ((node = fdt_next_node(tree->fdt, node, NULL)) >= 0)
		if (devicetree_kind(tree, node, kinds) && devicetree_is_okay(tree, node))
			return node;
	return node;
}

/* ---- Addresses ---- */

/* Devicetree Specification 0.4, 2.3.8: translate an address of this bus to one of the bus above
 * it. */
static int devicetree_map(const struct devicetree *tree, int bus, int above, uint64_t *address)
{
	int child = fdt_address_cells(tree->fdt, bus), sizes = fdt_size_cells(tree->fdt, bus);
	int parent = fdt_address_cells(tree->fdt, above);
	unsigned count, entry;
	const fdt32_t *ranges = devicetree_cells(tree, bus, "ranges", &count);

	if (!ranges || child < 1 || parent < 1 || sizes < 0)
		return -EINVAL;
	if (count == 0)
		return 0; /* the same address space */
	entry = (unsigned)(child + parent + sizes);
	for (; count >= entry; count -= entry, ranges += entry) {
		uint64_t from = devicetree_number(ranges, (unsigned)child);
		uint64_t to = devicetree_number(ranges + child, (unsigned)parent);
		uint64_t size = devicetree_number(ranges + child + parent, (unsigned)sizes);

		if (*address >= from && *address - from < size) {
			*address = to + (*address - from);
			return 0;
		}
	}
	return -EINVAL;
}

int devicetree_translate(const struct devicetree *tree, int bus, uint64_t *address)
{
	int above, code;

	for (unsigned depth = 0; depth < DEEPEST; depth++) {
		if (bus == 0)
			return 0;
		above = fdt_parent_offset(tree->fdt, bus);
		if (above < 0)
			return -EINVAL;
		code = devicetree_map(tree, bus, above, address);
		if (code)
			return code;
		bus = above;
	}
	return -EINVAL;
}

int devicetree_reg(const struct devicetree *tree, int node, unsigned index, uint64_t *address,
                   uint64_t *size)
{
	int bus = fdt_parent_offset(tree->fdt, node), addresses, sizes;
	const fdt32_t *reg;
	unsigned count, entry;

	if (bus < 0)
		return -ENOENT;
	addresses = fdt_address_cells(tree->fdt, bus);
	sizes = fdt_size_cells(tree->fdt, bus);
	reg = devicetree_cells(tree, node, "reg", &count);
	if (!reg || addresses < 1 || sizes < 0)
		return -ENOENT;
	entry = (unsigned)(addresses + sizes);
	if (index >= count / entry)
		return -ENOENT;
	reg += (size_t)index * entry;
	*address = devicetree_number(reg, (unsigned)addresses);
	*size = devicetree_number(reg + addresses, (unsigned)sizes);
	return devicetree_translate(tree, bus, address);
}

/* ---- Interrupts: Devicetree Specification 0.4, 2.4 ---- */

int devicetree_interrupt_parent(const struct devicetree *tree, int node)
{
	for (unsigned depth = 0; node >= 0 && depth < DEEPEST; depth++) {
		uint32_t phandle = devicetree_u32(tree, node, "interrupt-parent", 0);

		if (phandle)
			return fdt_node_offset_by_phandle(tree->fdt, phandle);
		node = fdt_parent_offset(tree->fdt, node);
	}
	return -FDT_ERR_NOTFOUND;
}

/* arm,gic.yaml and arm,gic-v3.yaml: kind, number, flags, and a partition of the CPUs */
#define GIC_PPI        1U /* SPI: 0 */
#define GIC_FLAGS_EDGE 3U
#define FIRST_PPI      16U
#define FIRST_SPI      32U
#define PPIS           16U
#define SPIS           988U /* up to INTID 1019 */

static int devicetree_decode_interrupt(const fdt32_t *cells, unsigned count,
                                       struct devicetree_interrupt *interrupt)
{
	uint32_t kind, number;

	if (count < 3)
		return -ENOTSUP;
	kind = fdt32_ld(&cells[0]);
	number = fdt32_ld(&cells[1]);
	if (kind > GIC_PPI || number >= (kind == GIC_PPI ? PPIS : SPIS))
		return -ENOTSUP;
	interrupt->intid = number + (kind == GIC_PPI ? FIRST_PPI : FIRST_SPI);
	interrupt->edge = fdt32_ld(&cells[2]) & GIC_FLAGS_EDGE;
	interrupt->partition = count > 3 ? fdt32_ld(&cells[3]) : 0;
	return 0;
}

/* Controllers that pass a specifier on to their parent unchanged: Linux's
 * nvidia,tegra20-ictlr.yaml, mediatek,sysirq.txt, mediatek,mtk-cirq.yaml, fsl,imx8mq-gpc
 * (fsl,imx-gpcv2.yaml) and ti,omap4-wugen-mpu.yaml. */
static const char *const passing_kinds[] = {
	"nvidia,tegra20-ictlr",  "nvidia,tegra30-ictlr",
	"nvidia,tegra210-ictlr", "mediatek,mt6577-sysirq",
	"mediatek,mt2701-cirq",  "mediatek,mt8135-cirq",
	"mediatek,mt8173-cirq",  "mediatek,mt8192-cirq",
	"mediatek,mtk-cirq",     "fsl,imx7d-gpc",
	"fsl,imx8mq-gpc",        "ti,omap4-wugen-mpu",
	"ti,omap5-wugen-mpu",    NULL,
};

/* Whether this controller's specifiers reach the GIC unchanged. */
static bool devicetree_reaches_gic(const struct devicetree *tree, int controller)
{
	uint32_t width = devicetree_u32(tree, controller, "#interrupt-cells", 0);

	for (unsigned depth = 0; controller >= 0 && depth < DEEPEST; depth++) {
		if (controller == tree->gic)
			return true;
		if (!devicetree_kind(tree, controller, passing_kinds))
			return false;
		controller = devicetree_interrupt_parent(tree, controller);
		if (devicetree_u32(tree, controller, "#interrupt-cells", 0) != width)
			return false;
	}
	return false;
}

/* A list of controllers; each is followed by as many cells as its node demands. */
static int devicetree_extended_interrupt(const struct devicetree *tree, const fdt32_t *cells,
                                         unsigned left, unsigned index,
                                         struct devicetree_interrupt *interrupt)
{
	while (left > 0) {
		int parent = fdt_node_offset_by_phandle(tree->fdt, fdt32_ld(cells));
		uint32_t width = devicetree_u32(tree, parent, "#interrupt-cells", 0);

		cells++;
		left--;
		if (parent < 0 || width > left)
			return -ENOTSUP;
		if (index-- == 0)
			return devicetree_reaches_gic(tree, parent)
			           ? devicetree_decode_interrupt(cells, width, interrupt)
			           : -ENOTSUP;
		cells += width;
		left -= width;
	}
	return -ENOENT;
}

int devicetree_interrupt(const struct devicetree *tree, int node, unsigned index,
                         struct devicetree_interrupt *interrupt)
{
	int controller = devicetree_interrupt_parent(tree, node);
	uint32_t width = devicetree_u32(tree, controller, "#interrupt-cells", 0);
	unsigned count;
	const fdt32_t *cells = devicetree_cells(tree, node, "interrupts-extended", &count);

	if (cells)
		return devicetree_extended_interrupt(tree, cells, count, index, interrupt);
	cells = devicetree_cells(tree, node, "interrupts", &count);
	if (!cells || count == 0)
		return -ENOENT;
	if (width == 0 || !devicetree_reaches_gic(tree, controller))
		return -ENOTSUP;
	if (index >= count / width)
		return -ENOENT;
	return devicetree_decode_interrupt(cells + (size_t)index * width, width, interrupt);
}
