/* SPDX-License-Identifier: MIT */
/*
 * A hypervisor's description of itself: CPUID leaves from 40000000H (Linux,
 * Documentation/virt/kvm/x86/cpuid.rst; Microsoft's Hypervisor Top Level Functional Specification,
 * 2.4; AMD's volume 3, E.3.2).
 */
#ifndef ARCH_X86_64_HYPERVISOR_H
#define ARCH_X86_64_HYPERVISOR_H

#include "arch/arch.h"
#include "arch/x86_64/cpuid.h"
#include "arch/x86_64/time/clock.h"

/* CPUID and RDMSR, or a test's. */
struct hypervisor_access {
	struct cpuid (*cpuid)(uint32_t leaf, uint32_t subleaf);
	uint64_t (*rdmsr)(uint32_t msr);
};
extern const struct hypervisor_access hypervisor_cpu;

/* Whether a hypervisor says that it is there: CPUID.01H:ECX[31]. Any context. */
bool hypervisor_is_there(const struct hypervisor_access *access);

/* Whether it is KVM and reports stolen time: feature 5 of the leaf behind its signature. Any
 * context. */
bool hypervisor_reports_steal(const struct hypervisor_access *access);

/* KVM's report of a CPU's stolen time (Linux, Documentation/virt/kvm/x86/msr.rst,
 * MSR_KVM_STEAL_TIME); KVM writes it. */
struct hypervisor_steal {
	uint64_t steal;   /* ns */
	uint32_t version; /* odd while KVM writes */
	uint32_t reserved[13];
};
_Static_assert(sizeof(struct hypervisor_steal) == 64, "MSR_KVM_STEAL_TIME");

/* The report's ns, of one moment; after many tries the last one's. Any context. */
uint64_t hypervisor_read_steal(const volatile struct hypervisor_steal *report);

/* Its name, as arch_hypervisor() gives it. Any context. */
void hypervisor_name(const struct hypervisor_access *access, char name[ARCH_HYPERVISOR]);

/* The rates of TSC and APIC timer that it reports: leaf 40000010H (VMware's, in QEMU also KVM's),
 * or Hyper-V's MSRs. false: it reports none. Thread. */
bool hypervisor_rates(const struct hypervisor_access *access, struct clock_rates *rates);

#endif
