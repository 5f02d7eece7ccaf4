/* SPDX-License-Identifier: MIT */
#include "lib/pci/pci_access.h"

uint64_t pci_for_cpus(const struct arch_platform *platform, unsigned segment, bool io,
                      uint64_t address)
{
	for (unsigned i = 0; i < platform->window_count; i++) {
		const struct arch_pci_window *window = &platform->windows[i];

		if (window->segment == segment && window->io == io &&
		    address >= window->bus_address && address - window->bus_address < window->size)
			return window->address + (address - window->bus_address);
	}
	return address;
}
