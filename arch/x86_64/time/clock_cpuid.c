/* SPDX-License-Identifier: MIT */
/*
 * CPUID.15H: TSC = crystal * EBX / EAX. Some CPUs do not report their crystal (ECX = 0). Then the
 * usual crystal that is nearest to the value implied by CPUID.16H's base frequency is taken,
 * because that is rounded to MHz (SDM volume 3B, 19.7.3).
 */
#include "abi/trace_region.h"
#include "arch/x86_64/time/clock.h"

static uint64_t clock_crystal_near(uint64_t hz)
{
	static const uint32_t customary[] = { 19200000, 24000000, 25000000, 38400000 };

	for (unsigned i = 0; i < sizeof(customary) / sizeof(customary[0]); i++)
		if (hz > customary[i] - customary[i] / 100 &&
		    hz < customary[i] + customary[i] / 100)
			return customary[i];
	return 0;
}

bool clock_rates_by_cpuid(struct cpuid ratio, struct cpuid base, struct clock_rates *rates)
{
	uint64_t crystal = ratio.ecx;

	if (ratio.eax == 0 || ratio.ebx == 0)
		return false;
	rates->source = TR_CLOCK_ARCHITECTURAL;
	if (crystal == 0) {
		crystal =
		    clock_crystal_near((base.eax & 0xffff) * 1000000ULL * ratio.eax / ratio.ebx);
		rates->source = TR_CLOCK_CPUID_16H;
	}
	if (crystal == 0)
		return false;
	rates->tsc = crystal * ratio.ebx / ratio.eax;
	rates->apic = crystal; /* 11.5.4: the timer counts the crystal if CPUID reports one */
	return true;
}
