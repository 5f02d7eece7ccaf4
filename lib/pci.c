/* SPDX-License-Identifier: MIT */
#include "lib/pci.h"

#include <errno.h>

#include "lib/efi.h"

/* QWORD address space descriptor (ACPI 6.5, 6.4.3.5.1), as GetBarAttributes() returns it. */
struct address_descriptor {
	uint8_t tag; /* 0x8a */
	uint16_t length;
	uint8_t type, general_flags, specific_flags;
	uint64_t granularity, minimum, maximum, translation, size;
} __attribute__((packed));
_Static_assert(sizeof(struct address_descriptor) == 46, "ACPI's QWORD descriptor");

/* Number n of those whose word of configuration space at offset, shifted, is value. */
static void *pci_find_by(uint32_t offset, unsigned shift, uint32_t value, unsigned n)
{
	EFI_GUID guid = EFI_PCI_IO_PROTOCOL_GUID;
	EFI_BOOT_SERVICES *services = efi_system->BootServices;
	EFI_PCI_IO_PROTOCOL *device, *found = NULL;
	EFI_HANDLE *handles;
	UINTN count;

	if (EFI_ERROR(services->LocateHandleBuffer(ByProtocol, &guid, NULL, &count, &handles)))
		return NULL;
	for (UINTN i = 0; i < count && !found; i++) {
		if (EFI_ERROR(services->HandleProtocol(handles[i], &guid, (void **)&device)))
			continue;
		if (pci_read(device, offset, 4) >> shift == value && n-- == 0)
			found = device;
	}
	services->FreePool(handles);
	return found;
}

void *pci_find(uint32_t id)
{
	return pci_find_by(0, 0, id, 0);
}

/* PCI 3.0, 6.2.1: revision, programming interface, subclass, class */
void *pci_find_class(uint32_t class, unsigned n)
{
	return pci_find_by(8, 16, class, n);
}

uint32_t pci_read(void *device, uint32_t offset, unsigned bytes)
{
	EFI_PCI_IO_PROTOCOL *pci = device;
	EFI_PCI_IO_PROTOCOL_WIDTH width = bytes == 1   ? EfiPciIoWidthUint8
	                                  : bytes == 2 ? EfiPciIoWidthUint16
	                                               : EfiPciIoWidthUint32;
	uint32_t value = 0;

	return EFI_ERROR(pci->Pci.Read(pci, width, offset, 1, &value)) ? 0 : value;
}

int pci_bar(void *device, unsigned number, uint64_t *address, uint64_t *size)
{
	EFI_PCI_IO_PROTOCOL *pci = device;
	struct address_descriptor *bar = NULL;

	if (EFI_ERROR(pci->GetBarAttributes(pci, (UINT8)number, NULL, (void **)&bar)) || !bar)
		return -EIO;
	*address = bar->minimum;
	*size = bar->size;
	efi_system->BootServices->FreePool(bar);
	return 0;
}

static int pci_enable(EFI_PCI_IO_PROTOCOL *pci, UINT64 attribute)
{
	return EFI_ERROR(pci->Attributes(pci, EfiPciIoAttributeOperationEnable, attribute, NULL))
	           ? -EIO
	           : 0;
}

int pci_enable_memory(void *device)
{
	return pci_enable(device, EFI_PCI_IO_ATTRIBUTE_MEMORY);
}

int pci_enable_io(void *device)
{
	return pci_enable(device, EFI_PCI_IO_ATTRIBUTE_IO);
}
