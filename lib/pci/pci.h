/* SPDX-License-Identifier: MIT */
/* PCI functions, by the firmware's services, or where it has none by the configuration space that
 * its tables name. All is thread context, with boot services. */
#ifndef LIB_PCI_PCI_H
#define LIB_PCI_PCI_H

#include <stdbool.h>
#include <stdint.h>

#include "arch/arch.h"

/* Find out by which; what is missing is said. platform is kept by reference. Call first. */
void pci_begin(const struct arch_platform *platform);

/* The first function with this vendor (low 16 bits) and device id, or NULL. */
void *pci_find(uint32_t id);

/* The function number n, from 0, of this class << 8 | subclass, or NULL. */
void *pci_find_class(uint32_t class, unsigned n);

/* 1, 2 or 4 bytes of its configuration space, at offset; 0 where they cannot be read. */
uint32_t pci_read(void *device, uint32_t offset, unsigned bytes);

/* Where its BAR of this number lies for the CPUs: in memory, or in an ISA's I/O space. 0 or -EIO,
 * which is said. */
int pci_bar(void *device, unsigned number, uint64_t *address, uint64_t *size);

/* Have it answer at its memory BARs: AAVMF leaves the decode of devices off that nobody drives. 0
 * or -EIO. */
int pci_enable_memory(void *device);

/* The same for BARs in I/O space. */
int pci_enable_io(void *device);

/* Have it for ourselves while the firmware goes on: no driver of the firmware's gets it until
 * pci_release(). false: one has it, or it is a console by the firmware's variables, or without
 * EFI_PCI_IO_PROTOCOL that is not known. */
bool pci_claim(void *device);
void pci_release(void *device);

#endif
