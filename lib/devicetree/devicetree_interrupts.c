/* SPDX-License-Identifier: MIT */
/* Reads the interrupt controller, and the interrupts that all CPUs share by number. */
#include <string.h>

#include "lib/devicetree/devicetree_nodes.h"

/* ---- The GIC: Linux's arm,gic.yaml and arm,gic-v3.yaml ---- */

static const char *const gicv2_kinds[] = {
	"arm,gic-400",        "arm,cortex-a15-gic",
	"arm,cortex-a9-gic",  "arm,cortex-a7-gic",
	"arm,eb11mp-gic",     "arm,pl390",
	"qcom,msm-qgic2",     "brcm,brahma-b15-gic",
	"qcom,msm-8660-qgic", NULL,
};
static const char *const gicv3_kinds[] = { "arm,gic-v3", NULL };
static const char *const its_kinds[] = { "arm,gic-v3-its", NULL };

/* The controller that serves the root's interrupts, or else the first one in the tree. */
static int devicetree_find_gic(const struct devicetree *tree, const char *const *kinds)
{
	int node = devicetree_interrupt_parent(tree, 0);

	return devicetree_kind(tree, node, kinds) ? node : devicetree_next(tree, -1, kinds);
}

static void devicetree_read_redistributors(const struct devicetree *tree)
{
	struct arch_platform *platform = tree->platform;
	uint32_t regions = devicetree_u32(tree, tree->gic, "#redistributor-regions", 1);
	unsigned count;
	const fdt32_t *stride = devicetree_cells(tree, tree->gic, "redistributor-stride", &count);

	if (stride && count <= 2)
		platform->gicr_stride = devicetree_number(stride, count);
	if (platform->gicr_stride % 0x10000 != 0) {
		devicetree_warn(tree, tree->gic, "redistributor-stride",
		                "no multiple of 64 KiB, ignored");
		platform->gicr_stride = 0;
	}
	for (uint32_t i = 0; i < regions && i < ARCH_MAX_GICR_AREAS; i++) {
		uint64_t address, size;

		if (devicetree_reg(tree, tree->gic, 1 + i, &address, &size)) {
			devicetree_warn(tree, tree->gic, "reg",
			                "it lacks regions of redistributors: CPUs there cannot be "
			                "interrupted");
			break;
		}
		platform->gicr[platform->gicr_count].address = address;
		platform->gicr[platform->gicr_count++].size = size;
	}
}

static void devicetree_read_its(const struct devicetree *tree)
{
	int node = devicetree_next(tree, tree->gic, its_kinds);
	uint64_t address, size;

	if (node >= 0 && devicetree_reg(tree, node, 0, &address, &size) == 0)
		tree->platform->gic_its = address;
}

/* Report the controller that is there instead, so that the user can look it up. */
static void devicetree_refuse_controller(const struct devicetree *tree)
{
	int node = devicetree_interrupt_parent(tree, 0);
	const char *kind = devicetree_text(tree, node, "compatible");

	if (node < 0) {
		tree->warn(
		    "device tree: /: interrupt-parent: it names no interrupt controller, "
		    "and no GIC is found\n");
		return;
	}
	devicetree_warn(tree, node, "compatible", "no GIC that we know, and we drive no other:");
	tree->warn("device tree: it is \"%s\"\n", kind ? kind : "");
}

void devicetree_read_gic(struct devicetree *tree)
{
	struct arch_platform *platform = tree->platform;
	int v3 = devicetree_find_gic(tree, gicv3_kinds);
	uint64_t size;

	tree->gic = v3 >= 0 ? v3 : devicetree_find_gic(tree, gicv2_kinds);
	if (tree->gic < 0) {
		devicetree_refuse_controller(tree);
		return;
	}
	platform->gic_version = v3 >= 0 ? 3 : 2;
	if (devicetree_reg(tree, tree->gic, 0, &platform->gicd, &size)) {
		devicetree_warn(tree, tree->gic, "reg", "it does not say where the distributor is");
		platform->gicd = 0;
		return;
	}
	if (v3 >= 0) {
		devicetree_read_redistributors(tree);
		devicetree_read_its(tree);
	} else if (devicetree_reg(tree, tree->gic, 1, &platform->gicc, &size)) {
		devicetree_warn(tree, tree->gic, "reg",
		                "it does not say where the CPU interface is");
		platform->gicc = 0;
	}
}

/* ---- The generic timer: Linux's arm,arch_timer.yaml ---- */

/* Found by name if the interrupts have names, otherwise by position. */
static uint32_t devicetree_timer_interrupt(const struct devicetree *tree, int node,
                                           const char *name, unsigned place)
{
	int named = fdt_stringlist_search(tree->fdt, node, "interrupt-names", name);
	struct devicetree_interrupt interrupt;

	if (named >= 0)
		place = (unsigned)named;
	else if (devicetree_text(tree, node, "interrupt-names"))
		return 0;
	return devicetree_interrupt(tree, node, place, &interrupt) ? 0 : interrupt.intid;
}

/* Firmware that does not set CNTFRQ_EL0, or sets it wrong, has this property; like Linux, prefer
 * it. */
static void devicetree_read_timer_rate(const struct devicetree *tree, int node)
{
	unsigned count;
	const fdt32_t *rate = devicetree_cells(tree, node, "clock-frequency", &count);

	if (!rate)
		return;
	if (count == 1)
		tree->platform->timer_frequency = fdt32_ld(rate);
	if (tree->platform->timer_frequency == 0)
		devicetree_warn(tree, node, "clock-frequency",
		                "it is no frequency: CNTFRQ_EL0 is used");
}

void devicetree_read_timer(const struct devicetree *tree)
{
	static const char *const kinds[] = { "arm,armv8-timer", "arm,armv7-timer", NULL };
	struct arch_platform *platform = tree->platform;
	int node = devicetree_next(tree, -1, kinds);

	if (node < 0)
		return;
	devicetree_read_timer_rate(tree, node);
	platform->timer_el1_interrupt = devicetree_timer_interrupt(tree, node, "phys", 1);
	platform->timer_virtual_interrupt = devicetree_timer_interrupt(tree, node, "virt", 2);
	platform->timer_el2_interrupt = devicetree_timer_interrupt(tree, node, "hyp-phys", 3);
	if (!platform->timer_virtual_interrupt)
		devicetree_warn(tree, node, "interrupts",
		                "the virtual timer's is no GIC's: the usual PPI is taken");
}

/* ---- Statistical profiling: Linux's spe-pmu.yaml; a PPI ---- */

void devicetree_read_spe(const struct devicetree *tree)
{
	static const char *const kinds[] = { "arm,statistical-profiling-extension-v1", NULL };
	struct devicetree_interrupt interrupt;
	int node = devicetree_next(tree, -1, kinds);

	if (node >= 0 && devicetree_interrupt(tree, node, 0, &interrupt) == 0)
		tree->platform->spe_interrupt = interrupt.intid;
}
