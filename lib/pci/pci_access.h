/* SPDX-License-Identifier: MIT */
/* The two ways of access to PCI functions; pci.c chooses one. Thread context, with boot
 * services. */
#ifndef LIB_PCI_PCI_ACCESS_H
#define LIB_PCI_PCI_ACCESS_H

#include <stdbool.h>

#include "arch/arch.h"

/* lib/pci/pci.h describes each operation. A device is a result of find(). */
struct pci_access {
	/* The tables are kept by reference. Called first. */
	void (*begin)(const struct arch_platform *platform);
	/* The n-th function, from 0, whose configuration word at offset, shifted right, equals
	 * value; NULL: there are fewer. */
	void *(*find)(uint32_t offset, unsigned shift, uint32_t value, unsigned n);
	uint32_t (*read)(void *device, uint32_t offset, unsigned bytes);
	int (*bar)(void *device, unsigned number, uint64_t *address, uint64_t *size);
	int (*enable)(void *device, bool io);
	bool (*claim)(void *device);
	void (*release)(void *device);
};

extern const struct pci_access pci_by_firmware, pci_by_ecam;

/* Translate a host bridge's address to the CPUs', by the windows in the tables; an address in no
 * window is the same for both. Pure. */
uint64_t pci_for_cpus(const struct arch_platform *platform, unsigned segment, bool io,
                      uint64_t address);

/* Read a word of configuration space by its memory address: in lib/pci/pci.c, or a test's own. */
uint32_t pci_ecam_load(uint64_t address);
void pci_ecam_store(uint64_t address, uint32_t value);

#endif
