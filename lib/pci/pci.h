/* SPDX-License-Identifier: MIT */
/* Access to PCI functions, through the firmware's services, or without these through the
 * configuration space that the firmware's tables name. Thread context, with boot services. */
#ifndef LIB_PCI_PCI_H
#define LIB_PCI_PCI_H

#include <stdbool.h>
#include <stdint.h>

#include "arch/arch.h"

/* Choose the way of access; the console reports what is missing. platform is kept by reference.
 * Call it first. */
void pci_begin(const struct arch_platform *platform);

/* The first function with this vendor (low 16 bits) and device id, or NULL. */
void *pci_find(uint32_t id);

/* The n-th function, from 0, of this class << 8 | subclass, or NULL. */
void *pci_find_class(uint32_t class, unsigned n);

/* Read 1, 2 or 4 bytes of the function's configuration space, at offset; 0: not readable. */
uint32_t pci_read(void *device, uint32_t offset, unsigned bytes);

/* The CPUs' address of this BAR: in memory, or an I/O port. Returns 0 or -EIO, which the console
 * reports. */
int pci_bar(void *device, unsigned number, uint64_t *address, uint64_t *size);

/* Enable the function's memory BARs: AAVMF leaves them disabled for devices without a driver.
 * Returns 0 or -EIO. */
int pci_enable_memory(void *device);

/* Enable the function's I/O BARs. */
int pci_enable_io(void *device);

/* Claim the function while the firmware runs: no firmware driver gets it until pci_release().
 * Returns false if a driver has it, or if the firmware's variables make it a console; without
 * EFI_PCI_IO_PROTOCOL neither can be known. */
bool pci_claim(void *device);
void pci_release(void *device);

#endif
