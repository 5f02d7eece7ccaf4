/* SPDX-License-Identifier: MIT */
/* SDM volume 2A, CPUID. */
#include <string.h>

#include "abi/machine.h"
#include "arch/x86_64/cpu.h"
#include "arch/x86_64/interrupt/apic.h"

/* Level types of leaf 0BH, ECX[15:8] */
#define TOPOLOGY_SMT  1
#define TOPOLOGY_CORE 2

#define LINES 8 /* CPUID.01H:EBX[15:8]: CLFLUSH's bytes, in units of 8 */

uint16_t arch_elf_machine(void)
{
	return EM_X86_64;
}

static void identify_read_vendor(char vendor[16])
{
	struct cpuid id = cpuid(0, 0);

	memset(vendor, 0, 16);
	memcpy(vendor, &id.ebx, 4);
	memcpy(vendor + 4, &id.edx, 4);
	memcpy(vendor + 8, &id.ecx, 4);
}

/* The brand string, without the leading blanks that some CPUs have. */
static void identify_read_model(char model[64])
{
	char text[49] = { 0 };
	const char *start = text;

	memset(model, 0, 64);
	if (cpuid(0x80000000, 0).eax < 0x80000004)
		return;
	for (uint32_t i = 0; i < 3; i++) {
		struct cpuid id = cpuid(0x80000002 + i, 0);

		memcpy(text + 16 * i, &id, 16);
	}
	while (*start == ' ')
		start++;
	for (unsigned i = 0; start[i] != 0; i++)
		model[i] = start[i];
}

/* Leaf 0BH reports for each level how many bits of the x2APIC id belong to lower levels (SDM volume
 * 3A, 9.9.3.1). */
static void identify_read_topology(struct arch_cpu_id *id)
{
	struct cpuid threads, cores;

	id->core_shift = id->package_shift = 0;
	if (cpuid(0, 0).eax < 0xb)
		return;
	threads = cpuid(0xb, 0);
	cores = cpuid(0xb, 1);
	if ((threads.ecx >> 8 & 0xff) != TOPOLOGY_SMT || (cores.ecx >> 8 & 0xff) != TOPOLOGY_CORE)
		return;
	id->core_shift = threads.eax & 0x1f;
	id->package_shift = cores.eax & 0x1f;
}

void arch_cpu_identify(struct arch_cpu_id *id)
{
	id->hw_id = apic_id();
	id->signature = cpuid(1, 0).eax;
	identify_read_vendor(id->vendor);
	identify_read_model(id->model);
	identify_read_topology(id);
	id->cache_line = (cpuid(1, 0).ebx >> LINES & 0xff) * 8;
}
