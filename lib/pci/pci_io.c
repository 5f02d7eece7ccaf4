/* SPDX-License-Identifier: MIT */
/* Through the firmware's EFI_PCI_IO_PROTOCOL, one handle per function: UEFI 2.10, 14.4. */
#include <errno.h>

#include "lib/efi/efi.h"
#include "lib/efi/efi_consoles.h"
#include "lib/pci/pci_access.h"

/* QWORD address space descriptor (ACPI 6.5, 6.4.3.5.1), as GetBarAttributes() returns it. */
struct address_descriptor {
	uint8_t tag; /* 0x8a */
	uint16_t length;
	uint8_t type, general_flags, specific_flags;
	uint64_t granularity, minimum, maximum, translation, size;
} __attribute__((packed));
_Static_assert(sizeof(struct address_descriptor) == 46, "ACPI's QWORD descriptor");

#define PCI_BAR(number) (0x10U + 4 * (number))
#define BAR_IO          1U

static const struct arch_platform *machine;

static void pci_io_begin(const struct arch_platform *platform)
{
	machine = platform;
}

static uint32_t pci_io_read(void *device, uint32_t offset, unsigned bytes)
{
	EFI_PCI_IO_PROTOCOL *pci = device;
	EFI_PCI_IO_PROTOCOL_WIDTH width = bytes == 1   ? EfiPciIoWidthUint8
	                                  : bytes == 2 ? EfiPciIoWidthUint16
	                                               : EfiPciIoWidthUint32;
	uint32_t value = 0;

	return EFI_ERROR(pci->Pci.Read(pci, width, offset, 1, &value)) ? 0 : value;
}

/* The n-th function whose configuration word at offset, shifted right, equals value. */
static void *pci_io_find(uint32_t offset, unsigned shift, uint32_t value, unsigned n)
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
		if (pci_io_read(device, offset, 4) >> shift == value && n-- == 0)
			found = device;
	}
	services->FreePool(handles);
	return found;
}

/* EDK2 reports memory addresses as the CPUs see them, and ports as PCI sees them. */
static int pci_io_bar(void *device, unsigned number, uint64_t *address, uint64_t *size)
{
	EFI_PCI_IO_PROTOCOL *pci = device;
	struct address_descriptor *bar = NULL;
	UINTN segment, bus, place, function;

	if (EFI_ERROR(pci->GetBarAttributes(pci, (UINT8)number, NULL, (void **)&bar)) || !bar)
		return -EIO;
	*address = bar->minimum;
	*size = bar->size;
	efi_system->BootServices->FreePool(bar);
	if (pci_io_read(device, PCI_BAR(number), 4) & BAR_IO &&
	    !EFI_ERROR(pci->GetLocation(pci, &segment, &bus, &place, &function)))
		*address = pci_for_cpus(machine, (unsigned)segment, true, *address);
	return 0;
}

static int pci_io_enable(void *device, bool io)
{
	EFI_PCI_IO_PROTOCOL *pci = device;
	UINT64 attribute = io ? EFI_PCI_IO_ATTRIBUTE_IO : EFI_PCI_IO_ATTRIBUTE_MEMORY;

	return EFI_ERROR(pci->Attributes(pci, EfiPciIoAttributeOperationEnable, attribute, NULL))
	           ? -EIO
	           : 0;
}

/* The handle that has this interface. */
static EFI_HANDLE pci_io_handle(const void *device)
{
	EFI_GUID guid = EFI_PCI_IO_PROTOCOL_GUID;
	EFI_HANDLE *handles, found = NULL;
	UINTN count;

	if (EFI_ERROR(efi_system->BootServices->LocateHandleBuffer(ByProtocol, &guid, NULL, &count,
	                                                           &handles)))
		return NULL;
	for (UINTN i = 0; i < count && !found; i++) {
		if (efi_protocol(handles[i], guid) == device)
			found = handles[i];
	}
	efi_system->BootServices->FreePool(handles);
	return found;
}

/* Claimed as a driver of the firmware does it: a second driver is refused (UEFI 2.10, 7.3.9). */
static bool pci_io_claim(void *device)
{
	EFI_GUID guid = EFI_PCI_IO_PROTOCOL_GUID;
	EFI_HANDLE handle = pci_io_handle(device);
	void *interface;

	return handle && !efi_is_console(handle) &&
	       !EFI_ERROR(efi_system->BootServices->OpenProtocol(
	           handle, &guid, &interface, efi_image, handle, EFI_OPEN_PROTOCOL_BY_DRIVER));
}

static void pci_io_release(void *device)
{
	EFI_GUID guid = EFI_PCI_IO_PROTOCOL_GUID;
	EFI_HANDLE handle = pci_io_handle(device);

	if (handle)
		efi_system->BootServices->CloseProtocol(handle, &guid, efi_image, handle);
}

const struct pci_access pci_by_firmware = {
	.begin = pci_io_begin,
	.find = pci_io_find,
	.read = pci_io_read,
	.bar = pci_io_bar,
	.enable = pci_io_enable,
	.claim = pci_io_claim,
	.release = pci_io_release,
};
