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

void *pci_find(uint32_t id)
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
		if (pci_read(device, 0, 4) == id)
			found = device;
	}
	services->FreePool(handles);
	return found;
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

int pci_enable_memory(void *device)
{
	EFI_PCI_IO_PROTOCOL *pci = device;

	return EFI_ERROR(pci->Attributes(pci, EfiPciIoAttributeOperationEnable,
	                                 EFI_PCI_IO_ATTRIBUTE_MEMORY, NULL))
	           ? -EIO
	           : 0;
}
