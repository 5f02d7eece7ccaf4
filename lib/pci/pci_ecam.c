/* SPDX-License-Identifier: MIT */
/*
 * Without the firmware's services: configuration space in memory, 4 KiB per function, at bus << 20
 * | device << 15 | function << 12 (PCI Express Base 4.0, 7.2.2). Each bus that the tables name is
 * searched, because a root bus need not lie behind a bridge of the first. BARs keep the firmware's
 * values. The offset that a host bridge adds for the CPUs' side is in a device tree; ACPI has it
 * only in AML, so there it is taken as 0.
 */
#include <errno.h>

#include "lib/pci/pci_access.h"

/* PCI 3.0, 6.1 and 6.2.5 */
#define PCI_COMMAND        0x04U
#define PCI_COMMAND_IO     (1U << 0)
#define PCI_COMMAND_MEMORY (1U << 1)
#define PCI_HEADER_TYPE    0x0cU /* it is the third byte of this word */
#define PCI_MULTIFUNCTION  (1U << 23)
#define PCI_BRIDGE         (0x7fU << 16) /* 0: the function is no bridge */
#define PCI_BAR(number)    (0x10U + 4 * (number))
#define PCI_BARS           6U
#define BAR_IO             (1U << 0)
#define BAR_TYPE           (3U << 1)
#define BAR_64_BITS        (2U << 1)
#define BAR_IO_FLAGS       3ULL
#define BAR_MEMORY_FLAGS   15ULL

#define FUNCTION_SHIFT 12
#define BUS_SHIFT      20
#define BUS_FUNCTIONS  256U
#define DEVICE_SIZE    8U /* functions */

static const struct arch_platform *machine;

static void ecam_begin(const struct arch_platform *platform)
{
	machine = platform;
}

/* If a device has no function 0, it has none at all. */
static bool ecam_is_there(uint64_t function)
{
	return (uint16_t)pci_ecam_load(function) != 0xffff;
}

/* The step from this function to the next possible one: a device without the multi-function bit may
 * respond for all eight numbers. */
static unsigned ecam_step(uint64_t function, uint32_t number)
{
	if (number % DEVICE_SIZE != 0 ||
	    (ecam_is_there(function) &&
	     pci_ecam_load(function + PCI_HEADER_TYPE) & PCI_MULTIFUNCTION))
		return 1;
	return DEVICE_SIZE;
}

static void *ecam_find(uint32_t offset, unsigned shift, uint32_t value, unsigned n)
{
	for (unsigned i = 0; i < machine->ecam_count; i++) {
		uint32_t at = machine->ecams[i].first_bus * BUS_FUNCTIONS;
		uint32_t end = (machine->ecams[i].last_bus + 1U) * BUS_FUNCTIONS;

		while (at < end) {
			uint64_t function = machine->ecams[i].address +
			                    ((uint64_t)at << FUNCTION_SHIFT);

			if (ecam_is_there(function) &&
			    pci_ecam_load(function + offset) >> shift == value && n-- == 0)
				return (void *)(uintptr_t)function;
			at += ecam_step(function, at);
		}
	}
	return NULL;
}

static uint32_t ecam_read(void *device, uint32_t offset, unsigned bytes)
{
	uint32_t word = pci_ecam_load((uintptr_t)device + (offset & ~3U)) >> (offset & 3) * 8;

	return bytes >= 4 ? word : word & ((1U << bytes * 8) - 1);
}

/* The segment of the host bridge that the function is behind. */
static unsigned ecam_segment(uint64_t function)
{
	unsigned i = 0;

	while (i + 1 < machine->ecam_count &&
	       function -
	               (machine->ecams[i].address + (machine->ecams[i].first_bus << BUS_SHIFT)) >=
	           (machine->ecams[i].last_bus + 1ULL - machine->ecams[i].first_bus) << BUS_SHIFT)
		i++;
	return machine->ecams[i].segment;
}

/* The register's writable bits; its value is restored. */
static uint32_t ecam_mask(uint64_t bar)
{
	uint32_t value = pci_ecam_load(bar), mask;

	pci_ecam_store(bar, UINT32_MAX);
	mask = pci_ecam_load(bar);
	pci_ecam_store(bar, value);
	return mask;
}

/* The bits that stay 0 when all ones are written give the size. The function is disabled meanwhile.
 * The upper half of the command register's word is the status register, and writing 0 does not
 * change it. */
static uint64_t ecam_measure(uint64_t function, uint64_t bar, bool wide)
{
	uint64_t interrupts = arch_irq_save(), mask = (uint64_t)UINT32_MAX << 32;
	uint32_t command = pci_ecam_load(function + PCI_COMMAND) & 0xffff;

	pci_ecam_store(function + PCI_COMMAND, command & ~(PCI_COMMAND_IO | PCI_COMMAND_MEMORY));
	mask |= ecam_mask(bar);
	if (wide)
		mask = (uint64_t)ecam_mask(bar + 4) << 32 | (uint32_t)mask;
	pci_ecam_store(function + PCI_COMMAND, command);
	arch_irq_restore(interrupts);
	return mask;
}

static int ecam_bar(void *device, unsigned number, uint64_t *address, uint64_t *size)
{
	uint64_t function = (uintptr_t)device, bar = function + PCI_BAR(number), flags, mask;
	uint32_t low;
	bool wide;

	if (number >= PCI_BARS || pci_ecam_load(function + PCI_HEADER_TYPE) & PCI_BRIDGE)
		return -EIO;
	low = pci_ecam_load(bar);
	wide = (low & (BAR_IO | BAR_TYPE)) == BAR_64_BITS;
	if (wide && number == PCI_BARS - 1)
		return -EIO;
	flags = low & BAR_IO ? BAR_IO_FLAGS : BAR_MEMORY_FLAGS;
	mask = ecam_measure(function, bar, wide) & ~flags;
	if (low & BAR_IO)
		mask |= (uint64_t)UINT32_MAX << 32 | 0xffff0000; /* ports: 16 bits */
	*address = ((wide ? (uint64_t)pci_ecam_load(bar + 4) << 32 : 0) | low) & ~flags;
	*size = ~mask + 1;
	if (*address == 0 || *size == 0)
		return -EIO;
	*address = pci_for_cpus(machine, ecam_segment(function), low & BAR_IO, *address);
	return 0;
}

static int ecam_enable(void *device, bool io)
{
	uint64_t command = (uintptr_t)device + PCI_COMMAND;

	pci_ecam_store(command, (pci_ecam_load(command) & 0xffff) |
	                            (io ? PCI_COMMAND_IO : PCI_COMMAND_MEMORY));
	return 0;
}

const struct pci_access pci_by_ecam = {
	.begin = ecam_begin,
	.find = ecam_find,
	.read = ecam_read,
	.bar = ecam_bar,
	.enable = ecam_enable,
};
