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

/* Each CPU: an NMI came that is a signal's, or nobody's. As far apart as TR's selectors are, for
 * entry.S, which calls x86_signal() if it is not 0. */
#define SENT    1U
#define NOBODYS 2U
struct signal {
	uint32_t what;
	uint32_t reserved[3];
};
_Static_assert(sizeof(struct signal) == 16, "entry.S");
extern struct signal x86_signals[ARCH_MAX_CPUS];
struct signal x86_signals[ARCH_MAX_CPUS];

static void no_pmi(const struct arch_regs *regs)
{
	(void)regs; /* not all there is to print */
	if (!signal_handler)
		x86_signals[arch_cpu()].what = NOBODYS;
}

extern arch_handler_fn x86_pmi_handler;
arch_handler_fn x86_pmi_handler = no_pmi;

/* entry.S calls these, the second where an NMI is hidden: whether it is done with. */
void x86_signal(const struct arch_regs *regs);
bool x86_nmi_hidden(const struct arch_regs *regs);

/* The flag is set before the NMI is sent, and one that comes while this runs is taken after it: no
 * signal is missed. */
void x86_signal(const struct arch_regs *regs)
{
	if (arch_exchange(&x86_signals[arch_cpu()].what, 0) == NOBODYS)
		panic_exception(regs);
	else
		signal_handler(regs);
}

/* In one of our own handlers, or entries. */
static __attribute__((noinline)) bool nested(const struct arch_regs *regs)
{
	return trace_interrupted(trace_cpu(), regs, ARCH_ENTERED_NMI);
}

bool x86_nmi_hidden(const struct arch_regs *regs)
{
	unsigned cpu = trace_cpu();

	if (__builtin_expect(x86_trace[cpu].depth != 1, 0) ||
	    __builtin_expect(trace_in_entries(regs->rip), 0))
		return nested(regs);
	return x86_trace_entered(cpu, ARCH_ENTERED_ALONE);
}

void x86_expect_signal(unsigned cpu)
{
	arch_exchange(&x86_signals[cpu].what, SENT);
}

int arch_pmi_init(arch_handler_fn handler)
{
	x86_pmi_handler = handler;
	apic_write(APIC_LVT_PMI, APIC_LVT_NMI);
	return 0;
}

void arch_signal_init(arch_handler_fn handler)
{
	signal_handler = handler;
}
