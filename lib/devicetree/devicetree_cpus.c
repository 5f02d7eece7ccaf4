/* SPDX-License-Identifier: MIT */
/* Reads the CPUs, how to start them, and the interrupts of their performance monitors. */
#include <errno.h>
#include <string.h>

#include "lib/devicetree/devicetree_nodes.h"

#define FIRST_SPI 32U

/* ---- /cpus: Devicetree Specification 0.4, 3.8; Linux's cpus.yaml for Arm ---- */

static bool devicetree_is_cpu(const struct devicetree *tree, int node)
{
	const char *type = devicetree_text(tree, node, "device_type");
	const char *status = devicetree_text(tree, node, "status");

	/* "disabled" means that the CPU waits to be started */
	if (status && strncmp(status, "fail", 4) == 0)
		return false;
	return type && strcmp(type, "cpu") == 0;
}

static void devicetree_add_cpu(struct devicetree *tree, int node, unsigned cells)
{
	struct arch_platform *platform = tree->platform;
	int cpus = fdt_parent_offset(tree->fdt, node);
	const char *method = devicetree_text(tree, node, "enable-method");
	unsigned count, index = platform->cpu_count;
	const fdt32_t *reg = devicetree_cells(tree, node, "reg", &count);

	if (!reg || count < cells) {
		devicetree_warn(tree, node, "reg", "it does not say which CPU this is, ignored");
		return;
	}
	if (index == ARCH_MAX_CPUS) {
		devicetree_warn(tree, node, NULL, "one CPU too many, ignored");
		return;
	}
	if (!method)
		method = devicetree_text(tree, cpus, "enable-method");
	platform->cpus[index].hw_id = devicetree_number(reg, cells);
	tree->phandles[index] = fdt_get_phandle(tree->fdt, node);
	tree->by_psci[index] = method && strcmp(method, "psci") == 0;
	platform->cpu_count++;
	if (platform->cpus[index].hw_id == tree->boot_cpu || tree->by_psci[index])
		return;
	devicetree_warn(tree, node, "enable-method",
	                method ? "it is not psci, the only supported method: this CPU "
	                         "stays off (firmware with PSCI, as Trusted Firmware, has it)"
	                       : "it is missing: this CPU cannot be started");
}

/* DEN0022; Linux's psci.yaml. Before version 0.2 the tree chose the functions' numbers. */
static void devicetree_read_psci(const struct devicetree *tree)
{
	static const char *const kinds[] = { "arm,psci-1.0", "arm,psci-0.2", NULL };
	static const char *const old[] = { "arm,psci", NULL };
	int node = devicetree_next(tree, -1, kinds);
	const char *method = devicetree_text(tree, node, "method");

	if (node < 0) {
		node = devicetree_next(tree, -1, old);
		if (node >= 0)
			devicetree_warn(tree, node, "compatible",
			                "PSCI 0.1 is too old: other CPUs stay off");
		return;
	}
	tree->platform->psci_hvc = method && strcmp(method, "hvc") == 0;
	tree->platform->psci = tree->platform->psci_hvc || (method && strcmp(method, "smc") == 0);
	if (!tree->platform->psci)
		devicetree_warn(tree, node, "method", "neither smc nor hvc: other CPUs stay off");
}

void devicetree_read_cpus(struct devicetree *tree)
{
	int cpus = fdt_path_offset(tree->fdt, "/cpus"), node;
	int cells = cpus < 0 ? 0 : fdt_address_cells(tree->fdt, cpus);

	devicetree_read_psci(tree);
	if (cells < 1 || cells > 2) {
		tree->warn(
		    "device tree: /cpus: it is missing or has no proper #address-cells: "
		    "this CPU is taken for the only one\n");
		return;
	}
	fdt_for_each_subnode(node, tree->fdt, cpus)
	{
		if (devicetree_is_cpu(tree, node))
			devicetree_add_cpu(tree, node, (unsigned)cells);
	}
}

void devicetree_drop_cpus(struct devicetree *tree)
{
	struct arch_platform *platform = tree->platform;
	unsigned kept = 0;

	for (unsigned i = 0; i < platform->cpu_count; i++)
		if (platform->cpus[i].hw_id == tree->boot_cpu ||
		    (platform->psci && tree->by_psci[i]))
			platform->cpus[kept++] = platform->cpus[i];
	if (!platform->psci && platform->cpu_count > kept)
		tree->warn("device tree: /psci: it is missing or unusable, so %u CPUs stay off\n",
		           platform->cpu_count - kept);
	platform->cpu_count = kept;
}

/* ---- Interrupts of performance monitors: Linux's pmu.yaml ---- */

/* Many nodes name only the core ("arm,cortex-a72-pmu"), and monitors of buses have similar
 * names. */
static bool devicetree_names_pmu(const char *kind)
{
	static const char *const cores[] = {
		"arm,cortex-",   "arm,neoverse-",  "cavium,thunder-", "brcm,vulcan-",
		"nvidia,denver", "nvidia,carmel-", "qcom,kryo-",      "apm,potenza-",
	};
	size_t length = strlen(kind);

	if (strcmp(kind, "arm,armv8-pmuv3") == 0)
		return true;
	if (length < 4 || strcmp(kind + length - 4, "-pmu") != 0)
		return false;
	for (unsigned i = 0; i < sizeof(cores) / sizeof(cores[0]); i++)
		if (strncmp(kind, cores[i], strlen(cores[i])) == 0)
			return true;
	return false;
}

static bool devicetree_is_pmu(const struct devicetree *tree, int node)
{
	const char *kind;

	for (int i = 0; (kind = fdt_stringlist_get(tree->fdt, node, "compatible", i, NULL)); i++)
		if (devicetree_names_pmu(kind))
			return devicetree_is_okay(tree, node);
	return false;
}

/* The index in platform->cpus of the CPU with this phandle; ARCH_MAX_CPUS: no CPU has it. */
static unsigned devicetree_cpu_of(const struct devicetree *tree, uint32_t phandle)
{
	for (unsigned i = 0; phandle && i < tree->platform->cpu_count; i++)
		if (tree->phandles[i] == phandle)
			return i;
	return ARCH_MAX_CPUS;
}

static void devicetree_set_interrupt(const struct devicetree *tree, unsigned cpu,
                                     const struct devicetree_interrupt *interrupt)
{
	if (cpu == ARCH_MAX_CPUS)
		return;
	tree->platform->cpus[cpu].pmu_interrupt = interrupt->intid;
	tree->platform->cpus[cpu].pmu_edge = interrupt->edge;
}

/* A PPI: each CPU has an own interrupt with this number. It applies to the CPUs that the node or
 * the PPI's partition names, or else to all. */
static void devicetree_set_ppi(const struct devicetree *tree, int node,
                               const struct devicetree_interrupt *interrupt)
{
	unsigned count;
	const fdt32_t *cpus = devicetree_cells(tree, node, "interrupt-affinity", &count);

	if (!cpus && interrupt->partition)
		cpus = devicetree_cells(tree,
		                        fdt_node_offset_by_phandle(tree->fdt, interrupt->partition),
		                        "affinity", &count);
	for (unsigned i = 0; cpus && i < count; i++)
		devicetree_set_interrupt(tree, devicetree_cpu_of(tree, fdt32_ld(&cpus[i])),
		                         interrupt);
	for (unsigned i = 0; !cpus && i < tree->platform->cpu_count; i++)
		devicetree_set_interrupt(tree, i, interrupt);
}

/* The index of the CPU to which Linux gives this number: the boot CPU is 0, the others follow in
 * the tree's order. ARCH_MAX_CPUS: there are fewer CPUs. */
static unsigned devicetree_linux_cpu(const struct devicetree *tree, unsigned number)
{
	const struct arch_platform *platform = tree->platform;
	unsigned boot = 0;

	while (boot < platform->cpu_count && platform->cpus[boot].hw_id != tree->boot_cpu)
		boot++;
	if (number >= platform->cpu_count)
		return ARCH_MAX_CPUS;
	if (boot == platform->cpu_count || number > boot)
		return number;
	return number == 0 ? boot : number - 1;
}

/* The node does not name the CPUs of its interrupts. Like Linux, take them in the order of Linux's
 * CPU numbers, with a warning. A CPU that another node has named keeps its interrupt. */
static void devicetree_guess_spi(const struct devicetree *tree, int node, unsigned index,
                                 const struct devicetree_interrupt *interrupt)
{
	unsigned cpu = devicetree_linux_cpu(tree, index);

	if (index == 0 && tree->platform->cpu_count > 1)
		devicetree_warn(tree, node, "interrupt-affinity",
		                "it is missing: the interrupts are taken for the CPUs' in their "
		                "order");
	if (cpu != ARCH_MAX_CPUS && tree->platform->cpus[cpu].pmu_interrupt == 0)
		devicetree_set_interrupt(tree, cpu, interrupt);
}

/* One interrupt per CPU, in the order of the CPUs in "interrupt-affinity". */
static void devicetree_set_spi(const struct devicetree *tree, int node, unsigned index,
                               const struct devicetree_interrupt *interrupt)
{
	unsigned count;
	const fdt32_t *cpus = devicetree_cells(tree, node, "interrupt-affinity", &count);

	if (index < count)
		devicetree_set_interrupt(tree, devicetree_cpu_of(tree, fdt32_ld(&cpus[index])),
		                         interrupt);
	else if (!cpus)
		devicetree_guess_spi(tree, node, index, interrupt);
	else
		devicetree_warn(tree, node, "interrupt-affinity",
		                "it does not say which CPU each interrupt is of: that one's "
		                "counters cannot sample");
}

static void devicetree_read_pmu(const struct devicetree *tree, int node)
{
	struct devicetree_interrupt interrupt;
	int code = 0;

	for (unsigned i = 0; i < ARCH_MAX_CPUS && !code; i++) {
		code = devicetree_interrupt(tree, node, i, &interrupt);
		if (code == -ENOTSUP || (code && i == 0))
			devicetree_warn(tree, node, "interrupts",
			                "none of them is a GIC's PPI or SPI: counters cannot "
			                "sample");
		else if (!code && interrupt.intid < FIRST_SPI)
			devicetree_set_ppi(tree, node, &interrupt);
		else if (!code)
			devicetree_set_spi(tree, node, i, &interrupt);
	}
}

void devicetree_read_pmus(struct devicetree *tree)
{
	int node = -1;

	while ((node = fdt_next_node(tree->fdt, node, NULL)) >= 0)
		if (devicetree_is_pmu(tree, node))
			devicetree_read_pmu(tree, node);
}
