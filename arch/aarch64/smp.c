/* SPDX-License-Identifier: MIT */
/*
 * The other CPUs: started by PSCI, then asleep until there is work. A CPU's state is written by the
 * boot CPU in OFF, IDLE and FAILED, and by the CPU itself in all other states. Writes are releases
 * and reads are acquires, so everything stored before a state change is visible to its reader.
 */
#include "arch/aarch64/smp.h"

#include <errno.h>

#include "arch/aarch64/interrupt/gic.h"
#include "arch/aarch64/mmu.h"
#include "arch/aarch64/psci.h"
#include "arch/aarch64/sysreg.h"
#include "arch/aarch64/takeover.h"
#include "arch/takeover.h"

enum arm_cpu_state {
	CPU_OFF = 0,
	CPU_STARTING, /* PSCI was asked to start it */
	CPU_IDLE,
	CPU_WORK, /* work is set */
	CPU_RUNNING,
	CPU_STOP,   /* told to switch itself off */
	CPU_FAILED, /* its interrupt controller does not answer */
};

static uint32_t smp_state_of(const struct arm_cpu *cpu)
{
	return __atomic_load_n(&cpu->state, __ATOMIC_ACQUIRE);
}

static void smp_set_state(struct arm_cpu *cpu, uint32_t state)
{
	__atomic_store_n(&cpu->state, state, __ATOMIC_RELEASE);
}

/* Wait at most ARCH_CPU_PATIENCE for the CPU to leave a state. */
static bool smp_leaves(const struct arm_cpu *cpu, uint32_t state)
{
	uint64_t deadline = arch_cycles() + ARCH_CPU_PATIENCE * arm_timer_frequency();

	while (smp_state_of(cpu) == state) {
		if (arch_cycles() > deadline)
			return false;
		arch_relax();
	}
	return true;
}

static void smp_work(struct arm_cpu *cpu)
{
	smp_set_state(cpu, CPU_RUNNING);
	arm_timer_own();
	cpu->work(cpu->work_arg);
	arch_irq_disable();
	arch_timer_disarm();
	smp_set_state(cpu, CPU_IDLE);
}

/* PSTATE.I masks interrupts, but they still end WFI, so none is missed between the check of the
 * state and the sleep. After it the interrupt is let in and acknowledged. */
static void smp_sleep_until_signalled(void)
{
	asm volatile("msr daifset, #3" : : : "memory");
	if (arm_masks_by_priority)
		arm_set_priority_mask(ARM_PRIORITY_ALL);
	arch_wait();
	arch_irq_enable();
	isb();
	arch_irq_disable();
}

_Noreturn void arm_secondary_main(struct arm_cpu *cpu)
{
	arm_cpu_own(cpu);
	arm_vectors_longest();
	if (gic->cpu_init(cpu)) {
		smp_set_state(cpu, CPU_FAILED);
		arch_halt();
	}
	arm_unmask_urgent();
	smp_set_state(cpu, CPU_IDLE);
	for (;;) {
		switch (smp_state_of(cpu)) {
		case CPU_WORK:
			smp_work(cpu);
			break;
		case CPU_STOP:
			arch_irq_disable();
			smp_set_state(cpu, CPU_OFF);
			psci_cpu_off();
			arch_halt();
		default:
			smp_sleep_until_signalled();
		}
	}
}

static int smp_start(struct arm_cpu *cpu)
{
	mmu_clean(arm_secondary_start, arm_secondary_end);
	mmu_clean(&arm_machine, &arm_machine + 1);
	smp_set_state(cpu, CPU_STARTING);
	if (psci_cpu_on(cpu->mpidr, (uint64_t)arm_secondary_start, (uint64_t)cpu)) {
		smp_set_state(cpu, CPU_OFF);
		return -EIO;
	}
	if (!smp_leaves(cpu, CPU_STARTING))
		return -ETIMEDOUT;
	return smp_state_of(cpu) == CPU_IDLE ? 0 : -EIO;
}

int arch_cpu_run(unsigned cpu, void (*fn)(void *arg), void *arg)
{
	struct arm_cpu *target = &arm_cpus[cpu];
	int code = 0;

	if (cpu >= arch_cpu_count() || target == arm_this_cpu())
		return -EINVAL;
	if (smp_state_of(target) == CPU_OFF)
		code = smp_start(target);
	if (code)
		return code;
	if (smp_state_of(target) != CPU_IDLE)
		return smp_state_of(target) == CPU_RUNNING ? -EBUSY : -EIO;
	target->work = fn;
	target->work_arg = arg;
	smp_set_state(target, CPU_WORK);
	gic->send_sgi(target, GIC_SGI_WORK);
	return smp_leaves(target, CPU_WORK) ? 0 : -ETIMEDOUT;
}

bool arch_cpu_idle(unsigned cpu)
{
	uint32_t state = smp_state_of(&arm_cpus[cpu]);

	return state != CPU_WORK && state != CPU_RUNNING;
}

static arch_handler_fn signal_handler;

static enum arch_pmi smp_signalled(const struct arch_regs *regs)
{
	signal_handler(regs);
	return ARCH_PMI_MINE;
}

void arch_signal_init(arch_handler_fn handler)
{
	signal_handler = handler;
	arm_interrupt_handle(GIC_SGI_SIGNAL, smp_signalled);
}

void arch_cpu_signal(unsigned cpu)
{
	register uint64_t which asm("x0") = cpu;

	/* An SGI sent at EL1 would be a guest's, and would trap: HCR_EL2.IMO. */
	if (arm_machine.el == 2 && !arm_runs_at_el2())
		asm volatile("hvc %1" : "+r"(which) : "i"(HVC_PAYLOAD_SIGNAL) : "memory");
	else
		gic->send_sgi(&arm_cpus[cpu], GIC_SGI_SIGNAL);
}

/* Wakes all CPUs. At EL1 below us there is no other way, because a payload's access to the
 * interrupt controller traps to us. */
void arch_cpu_wake(unsigned cpu)
{
	(void)cpu;
	asm volatile("dsb ish\n\tsev" : : : "memory");
}

/* The CPU's own state decides: a CPU whose interrupt controller never responded has halted, and
 * cannot receive a request. */
static int smp_end(struct arm_cpu *cpu)
{
	uint64_t deadline = arch_cycles() + ARCH_CPU_PATIENCE * arm_timer_frequency();

	switch (smp_state_of(cpu)) {
	case CPU_OFF:
		return 0;
	case CPU_IDLE:
		break;
	case CPU_FAILED:
		return -EIO;
	default:
		return -EBUSY;
	}
	smp_set_state(cpu, CPU_STOP);
	gic->send_sgi(cpu, GIC_SGI_WORK);
	while (!psci_cpu_is_off(cpu->mpidr)) {
		if (arch_cycles() > deadline)
			return -ETIMEDOUT;
		arch_relax();
	}
	return 0;
}

int arch_cpus_end(void)
{
	int code = 0;

	for (unsigned i = 1; i < arch_cpu_count() && !code; i++)
		code = smp_end(&arm_cpus[i]);
	return code;
}

void arm_cpus_off(void)
{
	for (unsigned i = 1; i < arch_cpu_count(); i++)
		smp_end(&arm_cpus[i]);
}

/* ---- CPUs that the firmware hands over: none, PSCI starts them ---- */

bool arch_cpus_are_firmwares(void)
{
	return false;
}

void arch_cpu_take_over(void)
{
}

unsigned arch_cpus_taken_over(void)
{
	return 0;
}
