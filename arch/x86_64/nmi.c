/* SPDX-License-Identifier: MIT */
/*
 * The NMI has two causes of ours, which it does not tell apart: this CPU's performance monitor
 * (SDM volume 3A, 11.5.1) and other CPUs' signals. Each handler looks for itself.
 */
#include "arch/x86_64/apic.h"
#include "arch/x86_64/interrupts.h"
#include "arch/x86_64/registers.h"
#include "arch/x86_64/smp.h"

static arch_handler_fn pmi_handler, signal_handler;

static bool acked[ARCH_MAX_CPUS];

void arch_pmi_ack(void)
{
	acked[arch_cpu()] = true;
	apic_write(APIC_LVT_PMI, APIC_LVT_NMI);
}

static void nmi(const struct arch_regs *regs)
{
	if (pmi_handler) {
		acked[arch_cpu()] = false;
		pmi_handler(regs);
		if (!acked[arch_cpu()])
			arch_pmi_ack();
	}
	if (signal_handler)
		signal_handler(regs);
}

int arch_pmi_init(arch_handler_fn handler)
{
	pmi_handler = handler;
	interrupts_set_handler(VECTOR_NMI, nmi);
	apic_write(APIC_LVT_PMI, APIC_LVT_NMI);
	return 0;
}

void arch_signal_init(arch_handler_fn handler)
{
	signal_handler = handler;
	interrupts_set_handler(VECTOR_NMI, nmi);
}
