/* SPDX-License-Identifier: MIT */
#include "lib/pci/pci.h"

#include <errno.h>

#include "lib/console/console.h"
#include "lib/efi/efi.h"
#include "lib/memory/address.h"
#include "lib/pci/pci_access.h"

static const struct pci_access *access = &pci_by_firmware;

uint32_t pci_ecam_load(uint64_t address)
{
	return *(volatile uint32_t *)address;
}

void pci_ecam_store(uint64_t address, uint32_t value)
{
	*(volatile uint32_t *)address = value;
}

void pci_begin(const struct arch_platform *platform)
{
	bool by_firmware = efi_locate((EFI_GUID)EFI_PCI_IO_PROTOCOL_GUID);

	access = by_firmware ? &pci_by_firmware : &pci_by_ecam;
	access->begin(platform);
	if (by_firmware)
		return;
	console_printf(
	    "PCI: the firmware has no EFI_PCI_IO_PROTOCOL: %s\n",
	    platform->ecam_count != 0
	        ? "devices are searched in configuration space, whose address its tables have"
	        : "and its tables (MCFG, a device tree's pci-host-ecam-generic) do not say where "
	          "configuration space is: neither shared memory (ivshmem) nor a serial card is "
	          "found. A debug probe and the console's serial line work");
}

void *pci_find(uint32_t id)
{
	return access->find(0, 0, id, 0);
}

/* PCI 3.0, 6.2.1: revision, programming interface, subclass, class */
void *pci_find_class(uint32_t class, unsigned n)
{
	return access->find(8, 16, class, n);
}

uint32_t pci_read(void *device, uint32_t offset, unsigned bytes)
{
	return access->read(device, offset, bytes);
}

/* Whether the BAR is an I/O port for the CPUs: ports behind a window are in memory. */
static bool pci_is_port(void *device, unsigned number, uint64_t address)
{
	return pci_read(device, 0x10 + 4 * number, 4) & 1 && address <= UINT16_MAX;
}

/* Why a BAR with an address cannot be used; NULL: it can. */
static const char *pci_refuse_bar(bool is_port, uint64_t address, uint64_t size)
{
	if (is_port && !arch_has_ports())
		return "no table says where the CPUs have I/O ports (a device tree does, by its "
		       "host bridge's \"ranges\")";
	return address_refusal(address, size, is_port ? ADDRESS_PORTS : ADDRESS_DEVICE);
}

int pci_bar(void *device, unsigned number, uint64_t *address, uint64_t *size)
{
	int code = access->bar(device, number, address, size);
	const char *why;

	if (code) {
		console_printf(
		    "PCI: the firmware gives no address for BAR %u of device %04x:%04x: "
		    "it is not used\n",
		    number, pci_read(device, 0, 2), pci_read(device, 2, 2));
		return code;
	}
	why = pci_refuse_bar(pci_is_port(device, number, *address), *address, *size);
	if (why)
		console_printf(
		    "PCI: BAR %u of device %04x:%04x at 0x%lx, 0x%lx bytes: %s: "
		    "it is not used\n",
		    number, pci_read(device, 0, 2), pci_read(device, 2, 2), *address, *size, why);
	return why ? -EIO : 0;
}

bool pci_claim(void *device)
{
	return access->claim && access->claim(device);
}

void pci_release(void *device)
{
	if (access->release)
		access->release(device);
}

int pci_enable_memory(void *device)
{
	return access->enable(device, false);
}

int pci_enable_io(void *device)
{
	return access->enable(device, true);
}
