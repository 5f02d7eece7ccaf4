/* SPDX-License-Identifier: MIT */
/*
 * The NMI has two causes of ours, which it does not tell apart: this CPU's performance monitor
 * (SDM volume 3A, 11.5.1) and other CPUs' signals. The monitor's handler looks for itself; whether
 * a signal was sent is kept here.
 */
#include "arch/x86_64/apic.h"
#include "arch/x86_64/interrupts.h"
#include "arch/x86_64/registers.h"
#include "arch/x86_64/smp.h"
#include "arch/x86_64/trace.h"

static arch_handler_fn signal_handler;
static uint32_t signalled[ARCH_MAX_CPUS]; /* each CPU: a signal was sent and not yet heard */

/* entry.S calls it. */
void x86_nmi(const struct arch_regs *regs);

static void no_pmi(const struct arch_regs *regs)
{
	if (!signal_handler)
		panic_exception(regs);
}

static arch_handler_fn pmi_handler = no_pmi;

/* The flag is set before the NMI is sent, and one that comes while this runs is taken after it: no
 * signal is missed. */
void x86_nmi(const struct arch_regs *regs)
{
	unsigned cpu = arch_cpu();
	uint32_t *signal = &signalled[cpu];

	if (!x86_trace_hides || !trace_interrupted(cpu, regs, ARCH_ENTERED_NMI))
		pmi_handler(regs);
	if (__atomic_load_n(signal, __ATOMIC_RELAXED) && arch_exchange(signal, 0))
		signal_handler(regs);
}

void x86_expect_signal(unsigned cpu)
{
	arch_exchange(&signalled[cpu], 1);
}

/* Delivery has masked the entry. */
void arch_pmi_ack(void)
{
	apic_write(APIC_LVT_PMI, APIC_LVT_NMI);
}

int arch_pmi_init(arch_handler_fn handler)
{
	pmi_handler = handler;
	apic_write(APIC_LVT_PMI, APIC_LVT_NMI);
	return 0;
}

void arch_signal_init(arch_handler_fn handler)
{
	signal_handler = handler;
}
