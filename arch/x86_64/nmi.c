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
#include "arch/x86_64/timer.h"
#include "arch/x86_64/trace.h"

static arch_handler_fn signal_handler;

/* Each CPU. As far apart as TR's selectors are, for entry.S, which calls x86_signal() if the first
 * word is not 0. */
#define SENT    1U
#define NOBODYS 2U
struct signal {
	uint32_t what;  /* an NMI came that is nobody's, or a signal was sent and not heard yet */
	uint32_t twice; /* another was sent before that one was heard */
	uint32_t due;   /* NMIs of signals that were heard in another's; some never come */
	bool alone;     /* the NMI in hand has no other cause */
	bool pmi;       /* the monitor may interrupt */
	uint16_t reserved;
};
_Static_assert(sizeof(struct signal) == 16, "entry.S");
extern struct signal x86_signals[ARCH_MAX_CPUS];
struct signal x86_signals[ARCH_MAX_CPUS];
static uint64_t pmi_ended[ARCH_MAX_CPUS]; /* cycles; 0: there was none */

/* One of the monitor's may be on its way when it ends. */
static bool was_on_its_way(unsigned cpu)
{
	return pmi_ended[cpu] && arch_cycles() - pmi_ended[cpu] < timer_tsc_frequency() / 1000;
}

bool arch_pmi_is_spurious(void)
{
	unsigned cpu = arch_cpu();
	struct signal *s = &x86_signals[cpu];

	if (__atomic_load_n(&s->what, __ATOMIC_RELAXED) == SENT) {
		s->alone = true;
		return false;
	}
	if (s->due) {
		s->due--;
		return false;
	}
	if (s->pmi || was_on_its_way(cpu))
		return true;
	if (arch_exchange(&s->what, NOBODYS) == SENT) /* just now; its NMI is still to come */
		arch_exchange(&s->what, SENT);
	return false;
}

static void no_pmi(const struct arch_regs *regs)
{
	(void)regs; /* not all there is to print */
	arch_pmi_is_spurious();
}

extern arch_handler_fn x86_pmi_handler;
arch_handler_fn x86_pmi_handler = no_pmi;

/* entry.S calls these, the second where an NMI is hidden: whether it is done with. */
void x86_signal(const struct arch_regs *regs);
bool x86_nmi_hidden(const struct arch_regs *regs);

/* Signals are noted before their NMIs are sent, and one that comes while this runs is taken after
 * it: none is missed. */
void x86_signal(const struct arch_regs *regs)
{
	struct signal *s = &x86_signals[arch_cpu()];

	if (arch_exchange(&s->what, 0) == NOBODYS)
		panic_exception(regs);
	s->due += !s->alone + arch_exchange(&s->twice, 0);
	s->alone = false;
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
	if (arch_exchange(&x86_signals[cpu].what, SENT) == SENT)
		arch_exchange(&x86_signals[cpu].twice, 1);
}

int arch_pmi_init(arch_handler_fn handler)
{
	x86_pmi_handler = handler;
	x86_signals[arch_cpu()].pmi = true;
	apic_write(APIC_LVT_PMI, APIC_LVT_NMI);
	return 0;
}

void arch_pmi_end(void)
{
	unsigned cpu = arch_cpu();

	if (!x86_signals[cpu].pmi)
		return;
	apic_write(APIC_LVT_PMI, APIC_LVT_NMI | APIC_LVT_MASKED);
	pmi_ended[cpu] = arch_cycles();
	x86_signals[cpu].pmi = false;
}

void arch_signal_init(arch_handler_fn handler)
{
	signal_handler = handler;
}
