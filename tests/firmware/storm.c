/* SPDX-License-Identifier: MIT */
/*
 * An image in which every CPU only handles interrupts, which come again as soon as they are
 * handled: its timer's, and a PMUv3's. Such a CPU must still start and stop on another CPU's
 * request. Prints TAP.
 */
#include "arch/aarch64/pmu/pmuv3.h"
#include "pmu/pmu.h"
#include "tests/firmware/image.h"

#define ROUNDS   20U
#define ENOUGH   50U  /* interrupts before a CPU counts as overloaded */
#define PATIENCE 20U  /* seconds of guest time before a CPU counts as hung */
#define OVERFLOW 200U /* cycles from one overflow to the next */

static struct {
	volatile bool stop;
	/* late: interrupts after the CPU was told to stop */
	volatile unsigned timers, overflows, late;
} cpus[ARCH_MAX_CPUS];

static void storm_timer(const struct arch_regs *regs)
{
	unsigned cpu = arch_cpu();

	(void)regs;
	cpus[cpu].timers++;
	cpus[cpu].late += cpus[cpu].stop;
	if (!cpus[cpu].stop)
		arch_timer_arm(arch_cycles());
}

static void storm_signal(const struct arch_regs *regs)
{
	(void)regs;
	cpus[arch_cpu()].stop = true;
}

/* Whether the machine has a PMUv3. */
static bool has_overflows(void)
{
	const struct pmu_source *source = pmu_of_type(PERF_TYPE_ARM_PMUV3);

	return source && pmu_is_here(source);
}

static enum arch_pmi storm_overflow(const struct arch_regs *regs)
{
	unsigned cpu = arch_cpu();

	(void)regs;
	cpus[cpu].overflows++;
	arch_reg_write(PMCCNTR_EL0, -(uint64_t)OVERFLOW);
	arch_reg_write(PMOVSCLR_EL0, UINT32_MAX);
	if (cpus[cpu].stop)
		arch_reg_write(PMINTENCLR_EL1, UINT32_MAX);
	return ARCH_PMI_MINE;
}

static void start_overflows(void)
{
	if (!has_overflows())
		return;
	arch_pmi_share(storm_overflow);
	arch_reg_write(PMCR_EL0, PMCR_LC);
	arch_reg_write(PMCCFILTR_EL0, PMEVTYPER_NSH);
	arch_reg_write(PMCCNTR_EL0, -(uint64_t)OVERFLOW);
	arch_reg_write(PMOVSCLR_EL0, UINT32_MAX);
	arch_reg_write(PMCNTENSET_EL0, 1U << CYCLE_COUNTER);
	arch_reg_write(PMINTENSET_EL1, 1U << CYCLE_COUNTER);
	arch_reg_write(PMCR_EL0, PMCR_LC | PMCR_E);
}

static void stop_overflows(void)
{
	if (!has_overflows())
		return;
	arch_reg_write(PMINTENCLR_EL1, UINT32_MAX);
	arch_reg_write(PMCR_EL0, 0);
	arch_reg_sync();
}

static void swamp(void *arg)
{
	unsigned cpu = arch_cpu();

	(void)arg;
	start_overflows();
	arch_timer_arm(arch_cycles());
	arch_irq_enable();
	while (!cpus[cpu].stop)
		arch_relax();
	stop_overflows();
	arch_irq_disable();
}

/* Whether the CPU gets idle, or gets enough interrupts, in time. */
static bool comes_true(unsigned cpu, bool (*condition)(unsigned cpu))
{
	uint64_t end = arch_cycles() + PATIENCE * test_clock.frequency;

	while (!condition(cpu)) {
		if (arch_cycles() > end)
			return false;
		arch_relax();
	}
	return true;
}

static bool is_swamped(unsigned cpu)
{
	return cpus[cpu].timers + cpus[cpu].overflows >= ENOUGH;
}

static unsigned round_of(unsigned count, unsigned *swamped, unsigned *late)
{
	unsigned stopped = 0;

	memset((void *)cpus, 0, sizeof(cpus));
	for (unsigned cpu = 1; cpu < count; cpu++) {
		int code = arch_cpu_run(cpu, swamp, NULL);

		if (code != 0) {
			console_printf("# CPU %u does not start: %d\n", cpu, code);
			return 0;
		}
	}
	for (unsigned cpu = 1; cpu < count; cpu++)
		*swamped += comes_true(cpu, is_swamped);
	for (unsigned cpu = 1; cpu < count; cpu++)
		arch_cpu_signal(cpu);
	for (unsigned cpu = 1; cpu < count; cpu++) {
		stopped += comes_true(cpu, arch_cpu_idle);
		*late += cpus[cpu].late > 1; /* one interrupt may have been pending */
	}
	return stopped;
}

static int story(void *arg)
{
	unsigned count = arch_cpu_count(), stopped = 0, swamped = 0, late = 0;
	int code = test_start();

	(void)arg;
	console_printf("\n"); /* end the firmware's line */
	tap_equal((uint64_t)code, 0, "the clock's frequency is found");
	arch_timer_init(storm_timer);
	arch_signal_init(storm_signal);
	cpus[0].stop = true;
	for (unsigned i = 0; i < ROUNDS; i++)
		stopped += round_of(count, &swamped, &late);
	console_printf("# %u CPUs, last round: %u timer interrupts, %u overflows\n", count,
	               cpus[1].timers, cpus[1].overflows);
	tap_ok(count > 1, "there are several CPUs");
	tap_equal(swamped, ROUNDS * (count - 1), "CPUs start and are swamped with interrupts");
	tap_equal(stopped, ROUNDS * (count - 1), "each of them stops when it is told to");
	tap_equal(late, 0, "and has no interrupt afterwards");
	tap_finish();
	machine_reset(MACHINE_POWEROFF);
}

EFI_STATUS efi_main(EFI_HANDLE image, EFI_SYSTEM_TABLE *system)
{
	return test_boot(image, system, NULL, story);
}
