/* SPDX-License-Identifier: MIT */
/* The ways to PCI functions, of which pci.c takes one. Thread context, with boot services. */
#ifndef LIB_PCI_PCI_ACCESS_H
#define LIB_PCI_PCI_ACCESS_H

#include <stdbool.h>

#include "arch/arch.h"

/* lib/pci/pci.h describes each operation. A device is a result of find(). */
struct pci_access {
	/* The tables are kept by reference. First. */
	void (*begin)(const struct arch_platform *platform);
	/* Number n, from 0, of those whose word of configuration space at offset, shifted, is
	 * value; NULL: there are not as many. */
	void *(*find)(uint32_t offset, unsigned shift, uint32_t value, unsigned n);
	uint32_t (*read)(void *device, uint32_t offset, unsigned bytes);
	int (*bar)(void *device, unsigned number, uint64_t *address, uint64_t *size);
	int (*enable)(void *device, bool io);
	bool (*claim)(void *device);
	void (*release)(void *device);
};

extern const struct pci_access pci_by_firmware, pci_by_ecam;

/* An address of a host bridge's as the CPUs have it, by the windows that the tables tell of; that
 * of none is the same for both. Pure. */
uint64_t pci_for_cpus(const struct arch_platform *platform, unsigned segment, bool io,
                      uint64_t address);

/* A word of configuration space by its address in memory: lib/pci/pci.c, or a test's. */
uint32_t pci_ecam_load(uint64_t address);
void pci_ecam_store(uint64_t address, uint32_t value);

#endif
