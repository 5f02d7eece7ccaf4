/* SPDX-License-Identifier: MIT */
/*
 * Nodes and properties of a device tree that fdt_check_full() has found whole, for its readers. A
 * node is its offset, as libfdt has it; negative: there is none. All is pure.
 */
#ifndef LIB_DEVICETREE_DEVICETREE_NODES_H
#define LIB_DEVICETREE_DEVICETREE_NODES_H

#include <libfdt.h>

#include "arch/arch.h"

struct devicetree {
	const void *fdt;
	arch_print_fn warn;
	struct arch_platform *platform;
	uint64_t boot_cpu;
	int gic; /* the node of the interrupt controller that we drive */
	/* of platform->cpus, while the tree is read */
	uint32_t phandles[ARCH_MAX_CPUS];
	bool by_psci[ARCH_MAX_CPUS];
};

/* "device tree: NODE: PROPERTY: WHAT"; property NULL: of the node as a whole. */
void devicetree_warn(const struct devicetree *tree, int node, const char *property,
                     const char *what);

/* Its cells of 32 bits, big-endian, and how many; NULL if there is no such property, or it has no
 * whole number of them. */
const fdt32_t *devicetree_cells(const struct devicetree *tree, int node, const char *property,
                                unsigned *count);

/* The number in so many cells; of more than two the last two count. */
uint64_t devicetree_number(const fdt32_t *cells, unsigned count);

/* The number in a property of one cell; fallback where there is none. */
uint32_t devicetree_u32(const struct devicetree *tree, int node, const char *property,
                        uint32_t fallback);

/* A property as text; NULL if it is none that ends. Of a list it is the first. */
const char *devicetree_text(const struct devicetree *tree, int node, const char *property);

/* Is its status okay, or not said? */
bool devicetree_is_okay(const struct devicetree *tree, int node);

/* Which of these, ended by NULL, it says that it is compatible with; NULL: none of them. */
const char *devicetree_kind(const struct devicetree *tree, int node, const char *const *kinds);

/* The next node after this one (-1: the first) that is one of these kinds, and okay. */
int devicetree_next(const struct devicetree *tree, int after, const char *const *kinds);

/* Entry number index of its "reg", as an address of the CPUs', through the "ranges" of the buses
 * above. 0; -ENOENT: there is no such entry; -EINVAL: it lies where the CPUs do not reach. */
int devicetree_reg(const struct devicetree *tree, int node, unsigned index, uint64_t *address,
                   uint64_t *size);

/* An address of this bus as one of the CPUs', in the same way. 0 or -EINVAL. */
int devicetree_translate(const struct devicetree *tree, int bus, uint64_t *address);

/* Interrupt number index of a node, as GIC INTID. */
struct devicetree_interrupt {
	uint32_t intid; /* a PPI or an SPI */
	bool edge;
	uint32_t partition; /* phandle of the CPUs that share a PPI's number; 0: all */
};
/* Through controllers that hand the GIC's specifiers on. 0; -ENOENT: there is no such interrupt;
 * -ENOTSUP: it is another controller's, or of a kind that we do not know. */
int devicetree_interrupt(const struct devicetree *tree, int node, unsigned index,
                         struct devicetree_interrupt *interrupt);

/* The node that interrupts of this one go to. */
int devicetree_interrupt_parent(const struct devicetree *tree, int node);

/* ---- Readers of parts ---- */

/* The interrupt controller: first, as the others ask for tree->gic. */
void devicetree_read_gic(struct devicetree *tree);
/* /cpus and /psci; then the PMU's interrupts, which are theirs; then those that cannot be started
 * are forgotten. */
void devicetree_read_cpus(struct devicetree *tree);
void devicetree_read_pmus(struct devicetree *tree);
void devicetree_drop_cpus(struct devicetree *tree);
void devicetree_read_timer(const struct devicetree *tree);
void devicetree_read_spe(const struct devicetree *tree);
void devicetree_read_console(const struct devicetree *tree);
void devicetree_read_pci(const struct devicetree *tree);

#endif
