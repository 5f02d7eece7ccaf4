/* SPDX-License-Identifier: MIT */
/* Finds the console's UART. */
#include <string.h>

#include "lib/devicetree/devicetree_nodes.h"

/* ---- /chosen: Devicetree Specification 0.4, 3.6 ---- */

/* stdout-path is PATH or ALIAS, possibly followed by options (":115200n8"). */
static int devicetree_find_stdout(const struct devicetree *tree, const char **options)
{
	int chosen = fdt_path_offset(tree->fdt, "/chosen"), node;
	const char *path = devicetree_text(tree, chosen, "stdout-path");
	size_t length;

	if (!path)
		path = devicetree_text(tree, chosen, "linux,stdout-path");
	if (!path)
		return -1;
	length = strcspn(path, ":");
	node = fdt_path_offset_namelen(tree->fdt, path, (int)length);
	if (node < 0)
		devicetree_warn(tree, chosen, "stdout-path", "it names no node");
	else if (path[length])
		*options = path + length + 1;
	return node;
}

/* Without stdout-path: the board's first serial line, by its alias. */
static int devicetree_find_console(const struct devicetree *tree, const char **options)
{
	int node = devicetree_find_stdout(tree, options);

	if (node < 0)
		node = fdt_path_offset(tree->fdt, "serial0");
	if (node < 0)
		tree->warn(
		    "device tree: /chosen: stdout-path: it names no node, nor does the alias "
		    "serial0: the console has no serial line\n");
	return node;
}

static uint32_t devicetree_parse_baud(const char *options)
{
	uint32_t baud = 0;

	for (; *options >= '0' && *options <= '9' && baud < 100000000; options++)
		baud = 10 * baud + (uint32_t)(*options - '0');
	return baud;
}

/* For a 16550 the tree has the distance of the registers; for the others it is fixed. */
static const struct uart_kind {
	const char *compatible;
	uint32_t type;
	bool is_apart; /* a 16550 with registers 4 bytes apart, even if the tree does not say so */
} uart_kinds[] = {
	{ "arm,pl011", ARCH_UART_PL011, false },
	{ "arm,sbsa-uart", ARCH_UART_SBSA, false },
	{ "ti,am654-uart", ARCH_UART_16550, true },
	{ "ti,am4372-uart", ARCH_UART_16550, true },
	{ "ti,am3352-uart", ARCH_UART_16550, true },
	{ "ti,omap4-uart", ARCH_UART_16550, true },
	{ "mediatek,mt6577-uart", ARCH_UART_MEDIATEK, false },
	{ "brcm,bcm2835-aux-uart", ARCH_UART_BCM2835_AUX, false },
	{ "nvidia,tegra20-uart", ARCH_UART_TEGRA, false },
	{ "fsl,imx6q-uart", ARCH_UART_IMX, false },
	{ "fsl,imx21-uart", ARCH_UART_IMX, false },
	{ "amlogic,meson-gx-uart", ARCH_UART_MESON, false },
	{ "amlogic,meson-g12a-uart", ARCH_UART_MESON, false },
	{ "amlogic,meson-s4-uart", ARCH_UART_MESON, false },
	{ "amlogic,meson-ao-uart", ARCH_UART_MESON, false },
	{ "cdns,uart-r1p8", ARCH_UART_CADENCE, false },
	{ "cdns,uart-r1p12", ARCH_UART_CADENCE, false },
	{ "xlnx,xuartps", ARCH_UART_CADENCE, false },
	{ "renesas,scif", ARCH_UART_SCIF, false },
	{ "qcom,geni-debug-uart", ARCH_UART_SDM845, false },
	{ "qcom,geni-uart", ARCH_UART_SDM845, false },
	{ "qcom,msm-uartdm-v1.4", ARCH_UART_MSM8974, false },
	{ "qcom,msm-uartdm-v1.3", ARCH_UART_MSM8X60, false },
	{ "qcom,msm-uartdm", ARCH_UART_MSM8X60, false },
	{ "ns16550a", ARCH_UART_16550, false },
	{ "ns16550", ARCH_UART_16550, false },
	{ "ns16450", ARCH_UART_16550, false },
	{ "ns8250", ARCH_UART_16550, false },
	{ "ns16750", ARCH_UART_16550, false },
	{ "snps,dw-apb-uart", ARCH_UART_16550, false },
};

/* The first known name of the node's list, which is ordered from special to general; NULL: none is
 * known. */
static const struct uart_kind *devicetree_uart_kind(const struct devicetree *tree, int node)
{
	const char *name;

	for (int i = 0; (name = fdt_stringlist_get(tree->fdt, node, "compatible", i, NULL)); i++)
		for (unsigned k = 0; k < sizeof(uart_kinds) / sizeof(uart_kinds[0]); k++)
			if (strcmp(name, uart_kinds[k].compatible) == 0)
				return &uart_kinds[k];
	return NULL;
}

/* The bindings are Linux's, Documentation/devicetree/bindings/serial. */
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
	width = devicetree_u32(tree, node, "reg-io-width", kind && kind->is_apart ? 4 : 1);
	shift = devicetree_u32(tree, node, "reg-shift", kind && kind->is_apart ? 2 : 0);
	if (!kind) {
		devicetree_warn(tree, node, "compatible",
		                "no UART that we know: the console has no serial line");
	} else if (kind->type == ARCH_UART_16550 && ((width != 1 && width != 4) || shift > 4)) {
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
