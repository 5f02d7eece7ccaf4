/* SPDX-License-Identifier: MIT */
/*
 * Power State Coordination Interface, DEN0022, by the SMC calling convention, DEN0028.
 */
#ifndef ARCH_AARCH64_PSCI_H
#define ARCH_AARCH64_PSCI_H

#include "arch/arch.h"

/* Choose the conduit, HVC or SMC. From our own EL2 it must be SMC, because an HVC would come back
 * to us. */
void psci_init(const struct arch_platform *platform, unsigned el);
bool psci_available(void);

/* Start a CPU at entry with its MMU off and x0 = context. Returns 0, or -EIO (PSCI's own code is
 * not kept): it is already on, or cannot be started. */
int psci_cpu_on(uint64_t mpidr, uint64_t entry, uint64_t context);
/* Whether PSCI reports the CPU as off. */
bool psci_cpu_is_off(uint64_t mpidr);
/* Switch the calling CPU off; returns only if PSCI refuses. */
void psci_cpu_off(void);
/* One call by the SMC calling convention, by HVC or else by SMC; the results are x0 to x3. Without
 * software that answers, the instruction is undefined. */
struct smccc_result {
	uint64_t x[4];
};
struct smccc_result psci_smccc(bool hvc, uint64_t function, const uint64_t arguments[3]);

#endif
