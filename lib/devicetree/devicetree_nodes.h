/* SPDX-License-Identifier: MIT */
/*
 * Access to nodes and properties of a device tree that fdt_check_full() has verified. A node is an
 * offset, as in libfdt; negative: no node. All functions are pure.
 */
#ifndef LIB_DEVICETREE_DEVICETREE_NODES_H
#define LIB_DEVICETREE_DEVICETREE_NODES_H

#include <libfdt.h>

#include "arch/arch.h"
#include "lib/table_view.h"

struct devicetree {
	const void *fdt;
	arch_print_fn warn;
	struct arch_platform *platform;
	uint64_t boot_cpu;
	int gic; /* the node of the interrupt controller that bareperf drives */
	/* phandles of platform->cpus, valid while the tree is read */
	uint32_t phandles[ARCH_MAX_CPUS];
	bool by_psci[ARCH_MAX_CPUS];
};

/* The tree at this address, if libfdt finds it valid from its first byte to its last; else NULL,
 * and warn gets the reason. */
const void *devicetree_find_tree(uint64_t address, table_view_fn view, arch_print_fn warn);

/* Prints "device tree: NODE: PROPERTY: WHAT"; property NULL: the message is about the whole
 * node. */
void devicetree_warn(const struct devicetree *tree, int node, const char *property,
                     const char *what);

/* The property's cells of 32 bits, big-endian, and their number; NULL: no such property, or its
 * length is no multiple of 4. */
const fdt32_t *devicetree_cells(const struct devicetree *tree, int node, const char *property,
                                unsigned *count);

/* The number in count cells; of more than two only the last two are used. */
uint64_t devicetree_number(const fdt32_t *cells, unsigned count);

/* The number in a property of one cell; fallback: there is no such property. */
uint32_t devicetree_u32(const struct devicetree *tree, int node, const char *property,
                        uint32_t fallback);

/* The property as text; for a list, its first text. NULL: it has no terminated text. */
const char *devicetree_text(const struct devicetree *tree, int node, const char *property);

/* Whether the node's status is okay or missing. */
bool devicetree_is_okay(const struct devicetree *tree, int node);

/* The first of these kinds (ended by NULL) that is in the node's "compatible"; NULL: none. */
const char *devicetree_kind(const struct devicetree *tree, int node, const char *const *kinds);

/* The next node after this one (-1: the first) that has one of these kinds, and is okay. */
int devicetree_next(const struct devicetree *tree, int after, const char *const *kinds);

/* Entry number index of the node's "reg", translated to the CPUs' addresses through the "ranges" of
 * the buses above. Returns 0; -ENOENT: no such entry; -EINVAL: the CPUs cannot reach it. */
int devicetree_reg(const struct devicetree *tree, int node, unsigned index, uint64_t *address,
                   uint64_t *size);

/* Translate an address of this bus to the CPUs' addresses, in the same way. Returns 0 or
 * -EINVAL. */
int devicetree_translate(const struct devicetree *tree, int bus, uint64_t *address);

/* Interrupt number index of a node, as GIC INTID. */
struct devicetree_interrupt {
	uint32_t intid; /* a PPI or an SPI */
	bool edge;
	uint32_t partition; /* phandle of the CPUs that use this PPI; 0: all */
};
/* Follows controllers that pass the GIC's specifiers on. Returns 0; -ENOENT: no such interrupt;
 * -ENOTSUP: it belongs to another controller, or is of an unknown kind. */
int devicetree_interrupt(const struct devicetree *tree, int node, unsigned index,
                         struct devicetree_interrupt *interrupt);

/* The node of the controller for this node's interrupts. */
int devicetree_interrupt_parent(const struct devicetree *tree, int node);

/* ---- Readers of parts ---- */

/* Call it first, because the others need tree->gic. */
void devicetree_read_gic(struct devicetree *tree);
/* Reads /cpus and /psci, then the CPUs' PMU interrupts; at the end CPUs that cannot be started are
 * removed. */
void devicetree_read_cpus(struct devicetree *tree);
void devicetree_read_pmus(struct devicetree *tree);
void devicetree_drop_cpus(struct devicetree *tree);
void devicetree_read_timer(const struct devicetree *tree);
void devicetree_read_spe(const struct devicetree *tree);
void devicetree_read_console(const struct devicetree *tree);
void devicetree_read_pci(const struct devicetree *tree);

#endif
