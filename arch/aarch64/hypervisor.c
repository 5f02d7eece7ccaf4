/* SPDX-License-Identifier: MIT */
/*
 * The hypervisor's name, by the unique id of its service calls: Arm SMC Calling Convention
 * (DEN0028), 7.2 and 8. It is asked only where HVC is the conduit of PSCI, so that something
 * answers. Apple's answers no such call; SMBIOS names its machines.
 */
#include <string.h>

#include "arch/aarch64/psci.h"
#include "arch/aarch64/steal.h"
#include "arch/aarch64/sysreg.h"
#include "arch/arch.h"
#include "arch/steal.h"

#define PSCI_VERSION   0x84000000U /* DEN0022, 5.1 */
#define PSCI_FEATURES  0x8400000aU
#define SMCCC_VERSION  0x80000000U
#define HYPERVISOR_UID 0x8600ff01U /* vendor specific hypervisor service: call UID */

#define VERSION(major, minor) ((major) << 16 | (minor))

/* KVM's id is 28b46fb6-2ec5-11e9-a9ca-4b564d003a74 (Linux, Documentation/virt/kvm/arm/
 * hypercalls.rst); its bytes fill four registers from their low ends. */
static const struct {
	uint32_t id[4];
	const char *name;
} hypervisors[] = {
	{ { 0xb66fb428, 0xe911c52e, 0x564bcaa9, 0x743a004d }, "KVM" },
};

static int32_t hypervisor_ask(uint32_t function, uint32_t argument)
{
	const uint64_t arguments[3] = { argument };

	return (int32_t)psci_smccc(true, function, arguments).x[0];
}

/* Calls of hypervisors exist from SMCCC 1.1 on, which PSCI 1.0 announces. */
static bool hypervisor_answers(const struct arch_platform *platform)
{
	return platform->psci && platform->psci_hvc && current_el() == 1 &&
	       hypervisor_ask(PSCI_VERSION, 0) >= VERSION(1, 0) &&
	       hypervisor_ask(PSCI_FEATURES, SMCCC_VERSION) >= 0 &&
	       hypervisor_ask(SMCCC_VERSION, 0) >= VERSION(1, 1);
}

/* Whether the hypervisor's id is that of hypervisors[i]. */
static bool hypervisor_is(const struct smccc_result *id, unsigned i)
{
	for (unsigned word = 0; word < 4; word++) {
		if ((uint32_t)id->x[word] != hypervisors[i].id[word])
			return false;
	}
	return true;
}

/* A machine of QEMU's that answers no such call is emulated. */
void arch_hypervisor(const struct arch_platform *platform, char name[ARCH_HYPERVISOR])
{
	const uint64_t none[3] = { 0 };
	struct smccc_result id = { { 0 } };

	if (hypervisor_answers(platform))
		id = psci_smccc(true, HYPERVISOR_UID, none);
	strcpy(name, platform->is_apple ? "Apple" : platform->is_qemu ? "TCG" : "");
	for (unsigned i = 0; i < sizeof(hypervisors) / sizeof(hypervisors[0]); i++) {
		if (hypervisor_is(&id, i))
			strcpy(name, hypervisors[i].name);
	}
}

/* ---- Stolen time ---- */

/* The area that our page tables map, 0: none; each CPU's report there, and its value when the run
 * began. */
static uint64_t steal_area;
static const volatile struct steal_report *steal[ARCH_MAX_CPUS];
static uint64_t steal_before[ARCH_MAX_CPUS];

static int64_t hypervisor_steal_call(uint32_t function, uint32_t argument)
{
	const uint64_t arguments[3] = { argument };

	return (int64_t)psci_smccc(true, function, arguments).x[0];
}

bool arch_steal_area(const struct arch_platform *platform, uint64_t *address, uint64_t *size)
{
	uint64_t report = hypervisor_answers(platform) ? steal_find(hypervisor_steal_call) : 0;

	if (!report)
		return false;
	*address = steal_area = steal_area_of(report);
	*size = STEAL_AREA;
	return true;
}

/* All CPUs' reports are expected in one area, where QEMU and other monitors put them. */
bool arch_steal_begin(void)
{
	unsigned cpu = arch_cpu();
	uint64_t report = steal_area ? steal_find(hypervisor_steal_call) : 0;

	if (!report || steal_area_of(report) != steal_area)
		return false;
	steal[cpu] = (const volatile struct steal_report *)report;
	if (!steal_is_known(steal[cpu]))
		return false;
	steal_before[cpu] = steal[cpu]->stolen;
	return true;
}

uint64_t arch_steal_end(void)
{
	return steal[arch_cpu()]->stolen - steal_before[arch_cpu()];
}
