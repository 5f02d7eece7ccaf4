/* SPDX-License-Identifier: MIT */
/*
 * Power State Coordination Interface, DEN0022, by the SMC calling convention, DEN0028.
 */
#ifndef ARCH_AARCH64_PSCI_H
#define ARCH_AARCH64_PSCI_H

#include "arch/arch.h"

/* Choose the conduit. Our own EL2 would answer an HVC, so from there it is SMC. */
void psci_init(const struct arch_platform *platform, unsigned el);
bool psci_available(void);

/* Start a CPU at entry with its MMU off and x0 = context. 0, or -EIO with what PSCI said lost:
 * it is already on, or cannot be. */
int psci_cpu_on(uint64_t mpidr, uint64_t entry, uint64_t context);
/* Whether it is off, as far as PSCI knows. */
bool psci_cpu_is_off(uint64_t mpidr);
/* Switch the calling CPU off; returns only if that is denied. */
void psci_cpu_off(void);

#endif
