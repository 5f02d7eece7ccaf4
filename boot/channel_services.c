/* SPDX-License-Identifier: MIT */
#include "boot/channel_services.h"

#include "lib/memory/memory.h"
#include "lib/pci/pci.h"

const struct channel_services channel_services = {
	.alloc = memory_alloc_region,
	.map = memory_add_mapping,
	.pci_find = pci_find,
	.pci_read = pci_read,
	.pci_bar = pci_bar,
	.pci_enable_memory = pci_enable_memory,
	.pci_enable_io = pci_enable_io,
	.pci_find_class = pci_find_class,
};
