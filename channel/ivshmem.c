/* SPDX-License-Identifier: MIT */
/*
 * QEMU's inter-VM shared memory: PCI device 1af4:1110 whose BAR 2 is a file of the
 * host (QEMU, docs/specs/ivshmem-spec.txt). The trace region is the whole of it.
 *
 * The device comes plain or with a doorbell, which then has MSI-X as well: as many vectors as
 * its table has entries. BAR 0 holds the registers; a 32-bit store of peer << 16 | vector to
 * Doorbell interrupts that peer. The one that we tell is the host's supervisor, peer 0
 * (docs/trace-region.md).
 */
#include <errno.h>

#include "channel/channel.h"
#include "lib/efi.h"
#include "lib/memory.h"

#define VENDOR_DEVICE 0x11101af4U /* config space, offset 0 */
#define REGISTERS     0           /* the BARs */
#define SHARED_MEMORY 2
#define DOORBELL      12U /* in REGISTERS; write only */
#define SUPERVISOR    0U  /* the peer whom we wake */

/* PCI 3.0, 6.1 and 6.7; MSI-X: 6.8.2 */
#define PCI_STATUS              0x06
#define PCI_STATUS_CAPABILITIES (1U << 4)
#define PCI_CAPABILITIES        0x34
#define PCI_CAPABILITY_MSIX     0x11
#define PCI_CAPABILITIES_MOST   48 /* what fits into config space */
#define MSIX_CONTROL            2
#define MSIX_TABLE_SIZE         0x7ffU /* of entries, less one */

/* QWORD address space descriptor (ACPI 6.5, 6.4.3.5.1), as GetBarAttributes() returns it. */
struct address_descriptor {
	uint8_t tag; /* 0x8a */
	uint16_t length;
	uint8_t type, general_flags, specific_flags;
	uint64_t granularity, minimum, maximum, translation, size;
} __attribute__((packed));
_Static_assert(sizeof(struct address_descriptor) == 46, "ACPI's QWORD descriptor");

static bool is_ivshmem(EFI_PCI_IO_PROTOCOL *device)
{
	uint32_t id = 0;

	return !EFI_ERROR(device->Pci.Read(device, EfiPciIoWidthUint32, 0, 1, &id)) &&
	       id == VENDOR_DEVICE;
}

static int find_bar(EFI_PCI_IO_PROTOCOL *device, UINT8 number, uint64_t *address, uint64_t *size)
{
	struct address_descriptor *bar = NULL;
	EFI_STATUS status = device->GetBarAttributes(device, number, NULL, (void **)&bar);

	if (EFI_ERROR(status) || !bar)
		return -EIO;
	*address = bar->minimum;
	*size = bar->size;
	efi_system->BootServices->FreePool(bar);
	return 0;
}

static uint32_t read_config(EFI_PCI_IO_PROTOCOL *device, uint32_t offset, unsigned bytes)
{
	uint32_t value = 0;
	EFI_PCI_IO_PROTOCOL_WIDTH width = bytes == 1 ? EfiPciIoWidthUint8 : EfiPciIoWidthUint16;

	return EFI_ERROR(device->Pci.Read(device, width, offset, 1, &value)) ? 0 : value;
}

/* Entries of the device's MSI-X table; 0 if it has none. */
static uint32_t count_vectors(EFI_PCI_IO_PROTOCOL *device)
{
	uint32_t at;

	if (!(read_config(device, PCI_STATUS, 2) & PCI_STATUS_CAPABILITIES))
		return 0;
	at = read_config(device, PCI_CAPABILITIES, 1);
	for (unsigned i = 0; i < PCI_CAPABILITIES_MOST && at >= 0x40; i++) {
		if (read_config(device, at, 1) == PCI_CAPABILITY_MSIX)
			return (read_config(device, at + MSIX_CONTROL, 2) & MSIX_TABLE_SIZE) + 1;
		at = read_config(device, at + 1, 1) & ~3U;
	}
	return 0;
}

static int open_doorbell(EFI_PCI_IO_PROTOCOL *device, struct channel *channel)
{
	uint64_t address, size;
	int error = find_bar(device, REGISTERS, &address, &size);

	if (error)
		return error;
	channel->doorbell = (volatile uint32_t *)(uintptr_t)(address + DOORBELL);
	return memory_add_mapping(address, size, ARCH_MAP_DEVICE);
}

/* AAVMF leaves the memory decode of devices off that nobody drives. */
static int enable(EFI_PCI_IO_PROTOCOL *device, struct channel *channel)
{
	EFI_STATUS status = device->Attributes(device, EfiPciIoAttributeOperationEnable,
	                                       EFI_PCI_IO_ATTRIBUTE_MEMORY, NULL);
	int error;

	if (EFI_ERROR(status))
		return -EIO;
	error = find_bar(device, SHARED_MEMORY, &channel->address, &channel->size);
	if (error)
		return error;
	channel->memory = (void *)(uintptr_t)channel->address;
	channel->vectors = count_vectors(device);
	if (channel->vectors)
		error = open_doorbell(device, channel);
	return error ? error : memory_add_mapping(channel->address, channel->size, ARCH_MAP_DATA);
}

static int open(struct channel *channel, uint64_t ram)
{
	EFI_GUID guid = EFI_PCI_IO_PROTOCOL_GUID;
	EFI_BOOT_SERVICES *services = efi_system->BootServices;
	EFI_HANDLE *handles;
	UINTN count;
	int error = -ENODEV;

	(void)ram; /* the host has chosen */
	if (EFI_ERROR(services->LocateHandleBuffer(ByProtocol, &guid, NULL, &count, &handles)))
		return -ENODEV;
	for (UINTN i = 0; i < count && error == -ENODEV; i++) {
		EFI_PCI_IO_PROTOCOL *device;

		if (EFI_ERROR(services->HandleProtocol(handles[i], &guid, (void **)&device)))
			continue;
		if (is_ivshmem(device))
			error = enable(device, channel);
	}
	services->FreePool(handles);
	return error;
}

static void notify(void *context, uint32_t vector)
{
	const struct channel *channel = context;

	*channel->doorbell = SUPERVISOR << 16 | vector;
}

const struct channel_ops channel_ivshmem = {
	.name = "ivshmem",
	.description = "memory shared with the host (PCI 1af4:1110)",
	.open = open,
	.notify = notify,
};
