/* SPDX-License-Identifier: MIT */
#include "arch/arch.h"
#include "arch/noise.h"
#include "arch/x86_64/cpu.h"
#include "arch/x86_64/pmu/perfmon.h"

/* SDM volume 3B, 15.3.1 and 15.3.2 */
#define FEATURES_MCA    (1U << 14) /* CPUID.01H:EDX */
#define IA32_MCG_CAP    0x179U
#define MCG_CAP_BANKS   0xffU
#define IA32_MC0_STATUS 0x401U
#define IA32_MC_STEP    4U

/* SDM volume 3B, 14.8.5.2, "Reading the Digital Sensor": the logs stay set until they are
 * cleared. They are of a thermal event, of PROCHOT#, of the critical temperature, of the limits of
 * power and current, and of another part of the chip. */
#define FEATURES_ACPI     (1U << 22) /* CPUID.01H:EDX: IA32_THERM_STATUS is there */
#define IA32_THERM_STATUS 0x19cU
#define THERM_STATUS_LOGS (1U << 1 | 1U << 3 | 1U << 5 | 1U << 11 | 1U << 13 | 1U << 15)

#define IA32_MPERF 0xe7U
#define IA32_APERF 0xe8U

/* AMD has other sensors. */
static bool noise_has_thermal_logs(void)
{
	return cpuid(0, 0).ebx == CPUID_VENDOR_GENU && cpuid(CPUID_FEATURES, 0).edx & FEATURES_ACPI;
}

void arch_noise_begin(void)
{
	if (noise_has_thermal_logs())
		arch_reg_write(IA32_THERM_STATUS,
		               arch_reg_read(IA32_THERM_STATUS) & ~(uint64_t)THERM_STATUS_LOGS);
}

static unsigned noise_banks(void)
{
	unsigned banks;

	if (!(cpuid(CPUID_FEATURES, 0).edx & FEATURES_MCA))
		return 0;
	banks = (unsigned)arch_reg_read(IA32_MCG_CAP) & MCG_CAP_BANKS;
	return banks < ARCH_NOISE_BANKS ? banks : ARCH_NOISE_BANKS;
}

void arch_noise_read(struct arch_noise *noise)
{
	*noise = (struct arch_noise){ .nr_banks = noise_banks(),
		                      .logs_throttling = noise_has_thermal_logs() };
	for (unsigned i = 0; i < noise->nr_banks; i++)
		noise->banks[i] = arch_reg_read(IA32_MC0_STATUS + IA32_MC_STEP * i);
	if (noise->logs_throttling)
		noise->throttled = arch_reg_read(IA32_THERM_STATUS) & THERM_STATUS_LOGS;
	if (!(cpuid(CPUID_POWER, 0).ecx & CPUID_POWER_APERF))
		return;
	noise->aperf = arch_reg_read(IA32_APERF);
	noise->mperf = arch_reg_read(IA32_MPERF);
}
