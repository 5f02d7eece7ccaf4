/* SPDX-License-Identifier: MIT */
#include "arch/x86_64/hypervisor.h"

#include <string.h>

#include "abi/trace_region.h"
#include "arch/steal.h"
#include "arch/x86_64/cpu.h"

#define FEATURES            1U
#define FEATURES_HYPERVISOR (1U << 31) /* ECX */

#define FIRST_LEAF  0x40000000U
#define SECOND_LEAF 0x40000100U /* KVM's and Xen's own, where the first are Hyper-V's interface */
#define SIGNATURE   12U

#define TIMING_LEAF 0x40000010U /* EAX: TSC, EBX: APIC timer, both in kHz */

/* Hyper-V's features, 2.4.3: EAX has privileges, EDX abilities */
#define HYPERV_FEATURES       0x40000003U
#define HYPERV_FREQUENCIES    (1U << 11) /* EAX: AccessFrequencyMsrs */
#define HYPERV_HAS            (1U << 8)  /* EDX: the MSRs are there */
#define HYPERV_TSC_FREQUENCY  0x40000022U
#define HYPERV_APIC_FREQUENCY 0x40000023U

#define KVM_SIGNATURE          "KVMKVMKVM\0\0\0"
#define KVM_FEATURE_STEAL_TIME (1U << 5) /* EAX of the leaf after the signature's leaf */
#define MSR_KVM_STEAL_TIME     0x4b564d03U
#define KVM_MSR_ENABLED        1U
#define STEAL_TRIES            1000U

#define SLOWEST 1000000ULL /* Hz; a rate outside of these is none */
#define FASTEST 10000000000ULL

static const struct {
	char signature[SIGNATURE + 1];
	char name[ARCH_HYPERVISOR];
} hypervisors[] = {
	{ KVM_SIGNATURE, "KVM" },         { "Microsoft Hv", "Hyper-V" },
	{ "VMwareVMware", "VMware" },     { "XenVMMXenVMM", "Xen" },
	{ "TCGTCGTCGTCG", "TCG" },        { "bhyve bhyve ", "bhyve" },
	{ "VBoxVBoxVBox", "VirtualBox" },
};

static struct cpuid hypervisor_cpuid(uint32_t leaf, uint32_t subleaf)
{
	return cpuid(leaf, subleaf);
}

static uint64_t hypervisor_rdmsr(uint32_t msr)
{
	return rdmsr(msr);
}

const struct hypervisor_access hypervisor_cpu = { hypervisor_cpuid, hypervisor_rdmsr };

bool hypervisor_is_there(const struct hypervisor_access *access)
{
	return access->cpuid(FEATURES, 0).ecx & FEATURES_HYPERVISOR;
}

/* The highest leaf of the block at base, and the signature. KVM may report 0 for the highest leaf,
 * which means base + 1. */
static uint32_t hypervisor_read_block(const struct hypervisor_access *access, uint32_t base,
                                      char signature[SIGNATURE + 1])
{
	struct cpuid id = access->cpuid(base, 0);

	memcpy(signature, &id.ebx, 4);
	memcpy(signature + 4, &id.ecx, 4);
	memcpy(signature + 8, &id.edx, 4);
	signature[SIGNATURE] = 0;
	return id.eax;
}

static const char *hypervisor_known(const char signature[SIGNATURE])
{
	for (unsigned i = 0; i < sizeof(hypervisors) / sizeof(hypervisors[0]); i++) {
		if (!memcmp(signature, hypervisors[i].signature, SIGNATURE))
			return hypervisors[i].name;
	}
	return NULL;
}

/* A signature that is not known here is the name, if it can be printed. */
static void hypervisor_call_it(const char *signature, char name[ARCH_HYPERVISOR])
{
	const char *known = hypervisor_known(signature);

	strcpy(name, known ? known : signature);
	for (char *at = name; *at; at++)
		*at = *at < ' ' || *at > '~' ? '?' : *at;
	if (!*name)
		strcpy(name, "unnamed");
}

void hypervisor_name(const struct hypervisor_access *access, char name[ARCH_HYPERVISOR])
{
	char signature[SIGNATURE + 1], second[SIGNATURE + 1];

	*name = 0;
	if (!hypervisor_is_there(access))
		return;
	hypervisor_read_block(access, FIRST_LEAF, signature);
	hypervisor_call_it(signature, name);
	if (strcmp(name, "Hyper-V") != 0)
		return;
	hypervisor_read_block(access, SECOND_LEAF, second);
	if (hypervisor_known(second))
		hypervisor_call_it(second, name);
}

static bool hypervisor_set_rates(uint64_t tsc, uint64_t apic, struct clock_rates *rates)
{
	if (tsc < SLOWEST || tsc > FASTEST || apic < SLOWEST || apic > FASTEST)
		return false;
	*rates = (struct clock_rates){ tsc, apic, TR_CLOCK_HYPERVISOR };
	return true;
}

bool hypervisor_rates(const struct hypervisor_access *access, struct clock_rates *rates)
{
	char signature[SIGNATURE + 1];
	struct cpuid leaf;
	uint32_t last;

	if (!hypervisor_is_there(access))
		return false;
	last = hypervisor_read_block(access, FIRST_LEAF, signature);
	if (!memcmp(signature, "Microsoft Hv", SIGNATURE)) {
		leaf = access->cpuid(HYPERV_FEATURES, 0);
		return last >= HYPERV_FEATURES && leaf.eax & HYPERV_FREQUENCIES &&
		       leaf.edx & HYPERV_HAS &&
		       hypervisor_set_rates(access->rdmsr(HYPERV_TSC_FREQUENCY),
		                            access->rdmsr(HYPERV_APIC_FREQUENCY), rates);
	}
	if (last < TIMING_LEAF || last > SECOND_LEAF)
		return false;
	leaf = access->cpuid(TIMING_LEAF, 0);
	return hypervisor_set_rates(leaf.eax * 1000ULL, leaf.ebx * 1000ULL, rates);
}

/* ---- Stolen time ---- */

bool hypervisor_reports_steal(const struct hypervisor_access *access)
{
	static const uint32_t bases[] = { FIRST_LEAF, SECOND_LEAF };
	char signature[SIGNATURE + 1];

	for (unsigned i = 0; hypervisor_is_there(access) && i < 2; i++) {
		hypervisor_read_block(access, bases[i], signature);
		if (!memcmp(signature, KVM_SIGNATURE, SIGNATURE))
			return access->cpuid(bases[i] + 1, 0).eax & KVM_FEATURE_STEAL_TIME;
	}
	return false;
}

uint64_t hypervisor_read_steal(const volatile struct hypervisor_steal *report)
{
	uint32_t version;
	uint64_t steal;
	unsigned tries = 0;

	do {
		version = report->version;
		__atomic_thread_fence(__ATOMIC_ACQUIRE);
		steal = report->steal;
		__atomic_thread_fence(__ATOMIC_ACQUIRE);
	} while ((version & 1 || report->version != version) && ++tries < STEAL_TRIES);
	return steal;
}

/* Each CPU's report, and its value when the run began. */
static struct hypervisor_steal steal[ARCH_MAX_CPUS] __attribute__((aligned(64)));
static uint64_t steal_before[ARCH_MAX_CPUS];

/* KVM adds to the value in memory, and writes it before the next instruction. */
bool arch_steal_begin(void)
{
	struct hypervisor_steal *report = &steal[arch_cpu()];

	if (!hypervisor_reports_steal(&hypervisor_cpu))
		return false;
	memset(report, 0, sizeof(*report));
	wrmsr(MSR_KVM_STEAL_TIME, (uintptr_t)report | KVM_MSR_ENABLED);
	steal_before[arch_cpu()] = hypervisor_read_steal(report);
	return true;
}

/* KVM writes the reports into our own memory. */
bool arch_steal_area(const struct arch_platform *platform, uint64_t *address, uint64_t *size)
{
	(void)platform;
	*address = *size = 0;
	return false;
}

uint64_t arch_steal_end(void)
{
	uint64_t ns = hypervisor_read_steal(&steal[arch_cpu()]) - steal_before[arch_cpu()];

	wrmsr(MSR_KVM_STEAL_TIME, 0);
	return ns;
}

void arch_hypervisor(const struct arch_platform *platform, char name[ARCH_HYPERVISOR])
{
	(void)platform;
	hypervisor_name(&hypervisor_cpu, name);
}
