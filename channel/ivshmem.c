/* SPDX-License-Identifier: MIT */
/*
 * QEMU's inter-VM shared memory: PCI device 1af4:1110. Its BAR 2 is a file of the host (QEMU,
 * docs/specs/ivshmem-spec.txt). The trace region fills the whole BAR.
 *
 * The device is plain or has a doorbell. With a doorbell it also has MSI-X: as many vectors as the
 * MSI-X table has entries. BAR 0 holds the registers; a 32-bit store of peer << 16 | vector to
 * Doorbell interrupts that peer. The firmware interrupts the region's reader, which publishes its
 * peer number (docs/trace-region.md). A wrong number is harmless, because QEMU ignores unknown
 * peers.
 */
#include <errno.h>

#include "abi/trace_region.h"
#include "channel/channel.h"

#define VENDOR_DEVICE 0x11101af4U /* config space, offset 0 */
#define REGISTERS     0           /* the BARs */
#define SHARED_MEMORY 2
#define DOORBELL      12U /* in REGISTERS; write only */

/* PCI 3.0, 6.1 and 6.7; MSI-X: 6.8.2 */
#define PCI_STATUS              0x06
#define PCI_STATUS_CAPABILITIES (1U << 4)
#define PCI_CAPABILITIES        0x34
#define PCI_CAPABILITY_MSIX     0x11
#define PCI_CAPABILITIES_MOST   48 /* limit of the capabilities that fit into config space */
#define MSIX_CONTROL            2
#define MSIX_TABLE_SIZE         0x7ffU /* number of entries, minus one */

/* Returns the number of entries in the device's MSI-X table; 0: no table. */
static uint32_t ivshmem_count_vectors(const struct channel_services *services, void *device)
{
	uint32_t at;

	if (!(services->pci_read(device, PCI_STATUS, 2) & PCI_STATUS_CAPABILITIES))
		return 0;
	at = services->pci_read(device, PCI_CAPABILITIES, 1);
	for (unsigned i = 0; i < PCI_CAPABILITIES_MOST && at >= 0x40; i++) {
		if (services->pci_read(device, at, 1) == PCI_CAPABILITY_MSIX)
			return (services->pci_read(device, at + MSIX_CONTROL, 2) &
			        MSIX_TABLE_SIZE) +
			       1;
		at = services->pci_read(device, at + 1, 1) & ~3U;
	}
	return 0;
}

static int ivshmem_open_doorbell(struct channel *channel, const struct channel_services *services,
                                 void *device)
{
	uint64_t address, size;
	int code = services->pci_bar(device, REGISTERS, &address, &size);

	if (!code && size < DOORBELL + sizeof(*channel->doorbell))
		code = -EIO;
	if (code)
		return code;
	channel->doorbell = (volatile uint32_t *)(uintptr_t)(address + DOORBELL);
	return services->map(address, size, ARCH_MAP_DEVICE);
}

static int ivshmem_open(struct channel *channel, const struct channel_services *services,
                        uint64_t ram)
{
	void *device = services->pci_find(VENDOR_DEVICE);
	int code;

	(void)ram; /* the host chooses the size */
	if (!device)
		return -ENODEV;
	code = services->pci_enable_memory(device);
	if (!code)
		code = services->pci_bar(device, SHARED_MEMORY, &channel->address, &channel->size);
	if (code)
		return code;
	channel->memory = (void *)(uintptr_t)channel->address;
	channel->vectors = ivshmem_count_vectors(services, device);
	if (channel->vectors)
		code = ivshmem_open_doorbell(channel, services, device);
	return code ? code : services->map(channel->address, channel->size, ARCH_MAP_DATA);
}

static void ivshmem_notify(void *context, uint32_t vector)
{
	const struct channel *channel = context;
	const struct tr_header *header = channel->memory;

	*channel->doorbell = __atomic_load_n(&header->reader.peer, __ATOMIC_RELAXED) << 16 | vector;
}

const struct channel_ops channel_ivshmem = {
	.name = "ivshmem",
	.description = "memory shared with the host (PCI 1af4:1110)",
	.open = ivshmem_open,
	.notify = ivshmem_notify,
};
