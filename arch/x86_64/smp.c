/* SPDX-License-Identifier: MIT */
/*
 * The other CPUs: started by INIT and SIPI at their first use (SDM volume 3A, 9.4.4), or handed
 * over by the firmware; then they sleep with interrupts enabled until there is work. A CPU's
 * state is written by the boot CPU in OFF, IDLE and STOP, and by the CPU itself in the other states
 * and when it is handed over. Writes are releases and reads are acquires, so the work is visible
 * before the state that announces it.
 */
#include "arch/x86_64/smp.h"

#include <errno.h>
#include <string.h>

#include "arch/takeover.h"
#include "arch/x86_64/cpu.h"
#include "arch/x86_64/interrupt/apic.h"
#include "arch/x86_64/interrupt/descriptors.h"
#include "arch/x86_64/interrupt/interrupts.h"
#include "arch/x86_64/paging.h"
#include "arch/x86_64/platform.h"
#include "arch/x86_64/registers.h"
#include "arch/x86_64/saved.h"
#include "arch/x86_64/time/timer.h"

enum cpu_state {
	CPU_OFF = 0,
	CPU_IDLE,
	CPU_WORK,    /* fn and arg are set */
	CPU_RUNNING, /* fn runs */
	CPU_STOP,    /* the CPU goes back to the firmware when it sees this */
	CPU_LEAVE,   /* no more interrupts are on their way to it */
};

static struct {
	uint32_t apic_id;
	uint32_t state; /* enum cpu_state */
	void (*fn)(void *arg);
	void *arg;
} cpus[ARCH_MAX_CPUS];
static unsigned nr_cpus = 1;
static bool keeps_firmware;
static struct x86_saved *saved; /* the state of CPUs that the firmware handed over, by number */

/* The words of trampoline.S. */
struct __attribute__((packed)) trampoline {
	uint64_t gdt[3];
	uint16_t gdt_limit;
	uint32_t gdt_address;
	uint32_t far_address;
	uint16_t far_selector;
	uint32_t cr0, cr3, cr4;
	uint64_t entry;
};
extern const char x86_trampoline[], x86_trampoline_words[], x86_trampoline_end[];

void x86_ap_entry(void);
_Noreturn void x86_ap_main(void);
uint64_t x86_ap_stack;       /* stack and number of the CPU that is being started */
static unsigned ap_starting; /* its number */

/* CPUID.0BH has all 32 bits of the id, leaf 1 eight of them. */
static uint32_t smp_own_apic_id(void)
{
	if (cpuid(0, 0).eax >= 0xb && cpuid(0xb, 0).ebx != 0)
		return cpuid(0xb, 0).edx;
	return cpuid(1, 0).ebx >> 24;
}

void smp_init(const struct arch_platform *platform)
{
	uint32_t own = smp_own_apic_id();

	cpus[0].apic_id = own;
	cpus[0].state = CPU_RUNNING;
	nr_cpus = 1;
	for (unsigned i = 0; i < platform->cpu_count && nr_cpus < ARCH_MAX_CPUS; i++)
		if (platform->cpus[i].hw_id != own)
			cpus[nr_cpus++].apic_id = (uint32_t)platform->cpus[i].hw_id;
}

unsigned arch_cpu_count(void)
{
	return nr_cpus;
}

static void smp_prepare_trampoline(const struct arch_platform *platform)
{
	char *page = (char *)platform->low_memory;
	struct trampoline *words;

	if (!page)
		return;
	memcpy(page, x86_trampoline, (size_t)(x86_trampoline_end - x86_trampoline));
	words = (struct trampoline *)(page + (x86_trampoline_words - x86_trampoline));
	words->gdt_address += (uint32_t)platform->low_memory;
	words->far_address += (uint32_t)platform->low_memory;
	words->cr0 = (uint32_t)(x86_read_cr0() | CR0_WP);
	words->cr4 = (uint32_t)(x86_read_cr4() | CR4_OSFXSR | CR4_OSXMMEXCPT) &
	             (uint32_t) ~(CR4_CET | CR4_PCIDE);
	words->cr3 = (uint32_t)platform->low_memory + ARCH_PAGE;
	words->entry = (uint64_t)x86_ap_entry;
	memcpy(page + ARCH_PAGE, (const void *)paging_root(), ARCH_PAGE);
}

int smp_prepare(const struct arch_platform *platform, arch_alloc_pages_fn alloc)
{
	smp_prepare_trampoline(platform);
	saved = alloc((nr_cpus * sizeof(*saved) + ARCH_PAGE - 1) / ARCH_PAGE);
	return saved ? 0 : -ENOMEM;
}

void smp_keep_firmware(void)
{
	keeps_firmware = true;
}

static uint32_t smp_state_of(unsigned cpu)
{
	return __atomic_load_n(&cpus[cpu].state, __ATOMIC_ACQUIRE);
}

static void smp_set_state(unsigned cpu, uint32_t state)
{
	__atomic_store_n(&cpus[cpu].state, state, __ATOMIC_RELEASE);
}

/* Wait at most ARCH_CPU_PATIENCE for the CPU to leave a state. */
static bool smp_leaves(unsigned cpu, uint32_t state)
{
	uint64_t begun = arch_cycles();

	while (smp_state_of(cpu) == state) {
		if (arch_cycles() - begun > ARCH_CPU_PATIENCE * timer_tsc_frequency())
			return false;
		arch_relax();
	}
	return true;
}

/* The instruction after STI runs before any interrupt, so no interrupt is missed between the check
 * of the state and the sleep. */
static void smp_sleep_until_interrupt(void)
{
	__asm__ volatile("sti; hlt; cli" : : : "memory");
}

static void smp_work(unsigned cpu)
{
	smp_set_state(cpu, CPU_RUNNING);
	cpus[cpu].fn(cpus[cpu].arg);
	arch_irq_disable();
	arch_timer_disarm();
	smp_set_state(cpu, CPU_IDLE);
}

/* The loop of a CPU while it is taken over. Any interrupt ends its sleep; the one that
 * arch_cpu_run() sends has no handler. Interrupts that were sent to it before it may leave find
 * interrupts enabled. */
static int smp_serve(void *number)
{
	unsigned cpu = (unsigned)(uintptr_t)number;

	timer_init_cpu();
	smp_set_state(cpu, CPU_IDLE);
	for (;;) {
		uint32_t state = smp_state_of(cpu); /* read once: the state may change meanwhile */

		if (state == CPU_LEAVE)
			return 0;
		if (state == CPU_WORK)
			smp_work(cpu);
		else if (state == CPU_STOP)
			__asm__ volatile("sti; pause; cli" : : : "memory");
		else
			smp_sleep_until_interrupt();
	}
}

/* The main function of a CPU that bareperf has started and no firmware wants back. */
_Noreturn void x86_ap_main(void)
{
	unsigned cpu = ap_starting;

	x86_write_cr3(paging_root());
	wrmsr(IA32_PAT, PAGING_PAT);
	x86_vectors_on();
	descriptors_load(cpu);
	apic_init_cpu();
	smp_serve((void *)(uintptr_t)cpu);
	arch_halt();
}

static unsigned smp_number_of(uint32_t apic_id)
{
	for (unsigned cpu = 1; cpu < nr_cpus; cpu++)
		if (cpus[cpu].apic_id == apic_id)
			return cpu;
	return 0;
}

void arch_cpu_take_over(void)
{
	unsigned cpu = smp_number_of(smp_own_apic_id());
	uint64_t interrupts = arch_irq_save();

	if (cpu != 0 && apic_is_same() && smp_state_of(cpu) == CPU_OFF) {
		x86_take_cpu(cpu, &saved[cpu]);
		x86_call_on_stack(smp_serve, (void *)(uintptr_t)cpu,
		                  x86_cpus[cpu].stacks[STACK_THREAD].high);
		x86_give_cpu(cpu, &saved[cpu]);
		smp_set_state(cpu, CPU_OFF);
	}
	arch_irq_restore(interrupts);
}

unsigned arch_cpus_taken_over(void)
{
	unsigned taken = 0;

	for (unsigned cpu = 1; cpu < nr_cpus; cpu++)
		taken += smp_state_of(cpu) != CPU_OFF;
	return taken;
}

static void smp_delay_us(uint64_t us)
{
	uint64_t begun = arch_cycles(), span = timer_tsc_frequency() / 1000000 * us;

	while (arch_cycles() - begun < span)
		arch_relax();
}

/* INIT, 10 ms, SIPI, and 200 us later another SIPI, which a CPU that has started ignores. */
static int smp_start(unsigned cpu)
{
	uint64_t page = x86_platform->low_memory;

	if (keeps_firmware || page == 0 || !apic_reaches(cpus[cpu].apic_id))
		return -EIO;
	ap_starting = cpu;
	x86_ap_stack = x86_cpus[cpu].stacks[STACK_THREAD].high;
	arch_fence();
	apic_send(cpus[cpu].apic_id, APIC_ICR_INIT | APIC_ICR_ASSERT);
	smp_delay_us(10000);
	for (int i = 0; i < 2 && smp_state_of(cpu) == CPU_OFF; i++) {
		apic_send(cpus[cpu].apic_id,
		          APIC_ICR_STARTUP | APIC_ICR_ASSERT | (uint32_t)(page / ARCH_PAGE));
		smp_delay_us(200);
	}
	return smp_leaves(cpu, CPU_OFF) ? 0 : -ETIMEDOUT;
}

int arch_cpu_run(unsigned cpu, void (*fn)(void *arg), void *arg)
{
	int code = 0;

	if (cpu >= nr_cpus || cpu == arch_cpu())
		return -EINVAL;
	if (smp_state_of(cpu) == CPU_OFF)
		code = smp_start(cpu);
	if (code != 0)
		return code;
	if (smp_state_of(cpu) != CPU_IDLE)
		return -EBUSY;
	cpus[cpu].fn = fn;
	cpus[cpu].arg = arg;
	smp_set_state(cpu, CPU_WORK);
	apic_send(cpus[cpu].apic_id, VECTOR_WORK | APIC_ICR_ASSERT);
	return smp_leaves(cpu, CPU_WORK) ? 0 : -ETIMEDOUT;
}

bool arch_cpu_idle(unsigned cpu)
{
	uint32_t state = smp_state_of(cpu);

	return state != CPU_WORK && state != CPU_RUNNING;
}

/* Give back one CPU. It is woken by an interrupt, which must have arrived before it leaves, as the
 * firmware has no handler for it. So that interrupt is awaited first, and then, for a while, any
 * others. */
static int smp_end(unsigned cpu)
{
	if (smp_state_of(cpu) == CPU_OFF)
		return 0;
	if (smp_state_of(cpu) != CPU_IDLE)
		return -EBUSY;
	smp_set_state(cpu, CPU_STOP);
	apic_send(cpus[cpu].apic_id, VECTOR_WORK | APIC_ICR_ASSERT);
	apic_sent();
	smp_delay_us(100);
	smp_set_state(cpu, CPU_LEAVE);
	return smp_leaves(cpu, CPU_LEAVE) ? 0 : -ETIMEDOUT;
}

int arch_cpus_end(void)
{
	int code = 0;

	for (unsigned cpu = 1; cpu < nr_cpus && code == 0; cpu++)
		code = smp_end(cpu);
	return code;
}

void arch_cpu_signal(unsigned cpu)
{
	x86_expect_signal(cpu);
	apic_send(cpus[cpu].apic_id, APIC_ICR_NMI | APIC_ICR_ASSERT);
}

void arch_cpu_wake(unsigned cpu)
{
	apic_send(cpus[cpu].apic_id, VECTOR_WORK | APIC_ICR_ASSERT);
}

bool arch_cpus_are_firmwares(void)
{
	return keeps_firmware;
}
