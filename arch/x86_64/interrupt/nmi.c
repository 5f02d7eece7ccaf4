/* SPDX-License-Identifier: MIT */
/*
 * An NMI does not show its cause. Our causes are the handlers that share this CPU's performance
 * monitor interrupt (SDM volume 3A, 11.5.1), and other CPUs' signals. The former check their own
 * hardware; sent signals are noted here.
 */
#include "arch/pmi.h"
#include "arch/x86_64/interrupt/apic.h"
#include "arch/x86_64/interrupt/descriptors.h"
#include "arch/x86_64/interrupt/interrupts.h"
#include "arch/x86_64/pmu/trace.h"
#include "arch/x86_64/registers.h"
#include "arch/x86_64/smp.h"
#include "arch/x86_64/time/timer.h"

static arch_handler_fn signal_handler;

/* One per CPU, spaced as TR's selectors are, for entry.S, which calls x86_nmi_rest() if the first
 * word is not 0. */
struct signal {
	uint32_t sent; /* 1: a signal was sent and not handled yet */
	uint32_t more; /* NMIs that may still come for earlier signals; 0: none */
	uint32_t due;  /* signals handled in another NMI; not all their NMIs come */
	uint32_t reserved;
};
_Static_assert(sizeof(struct signal) == 16 && !(ARCH_PMI_NOT_MINE & 1), "entry.S");
extern struct signal x86_signals[ARCH_MAX_CPUS];
struct signal x86_signals[ARCH_MAX_CPUS];

/* One per CPU. The function that its NMIs call lies where entry.S finds it without knowing the CPU:
 * the only registered handler, or nmi_shared(). */
static struct arch_pmi_list sharers[ARCH_MAX_CPUS];
static uint64_t pmi_ended[ARCH_MAX_CPUS]; /* cycles; 0: no handler was registered */
uint64_t arch_spurious[ARCH_MAX_CPUS];

/* ---- The performance monitor ---- */

enum arch_pmi x86_pmi_unclaimed(const struct arch_regs *regs)
{
	(void)regs;
	return ARCH_PMI_NOT_MINE;
}

static enum arch_pmi nmi_shared(const struct arch_regs *regs)
{
	return arch_pmi_list_call(&sharers[trace_cpu()], regs);
}

static void nmi_set_called(unsigned cpu)
{
	const struct arch_pmi_list *list = &sharers[cpu];

	descriptors_set_pmi(cpu, list->count > 1    ? nmi_shared
	                         : list->count == 1 ? list->handlers[0]
	                                            : x86_pmi_unclaimed);
}

int arch_pmi_share(arch_pmi_fn handler)
{
	unsigned cpu = arch_cpu();
	bool first = !sharers[cpu].count;
	int code = arch_pmi_list_add(&sharers[cpu], handler);

	if (code)
		return code;
	nmi_set_called(cpu);
	if (first)
		apic_write(APIC_LVT_PMI, APIC_LVT_NMI);
	return 0;
}

/* An interrupt that is already on its way still comes. */
void arch_pmi_leave(arch_pmi_fn handler)
{
	unsigned cpu = arch_cpu();
	bool any = sharers[cpu].count;

	arch_pmi_list_remove(&sharers[cpu], handler);
	if (any && !sharers[cpu].count) {
		apic_write(APIC_LVT_PMI, APIC_LVT_NMI | APIC_LVT_MASKED);
		pmi_ended[cpu] = arch_cycles();
	}
	nmi_set_called(cpu);
}

static bool nmi_was_on_its_way(unsigned cpu)
{
	return pmi_ended[cpu] && arch_cycles() - pmi_ended[cpu] < timer_tsc_frequency() / 1000;
}

/* ---- Called by entry.S ---- */

/* Called if no handler took the NMI as its own, or a signal was sent: how is ARCH_PMI_NOT_MINE, 1,
 * or both. */
void x86_nmi_rest(const struct arch_regs *regs, uint32_t how);

/* An NMI came on a CPU that hides its handlers. Returns whether it is completely handled. */
bool x86_nmi_hidden(const struct arch_regs *regs);

/* Note n more NMIs that may still come. The CPU keeps one pending NMI, and each other CPU may be
 * about to send one that it has noted. */
static void nmi_owe(struct signal *s, uint32_t n)
{
	s->due = s->due + n < arch_cpu_count() ? s->due + n : arch_cpu_count();
}

/* No handler took the NMI, no signal is waiting, and no handler is registered. Signals that were
 * noted while an earlier one was handled are among those that may still come. */
static __attribute__((noinline)) void nmi_account_rare(const struct arch_regs *regs, unsigned cpu)
{
	struct signal *s = &x86_signals[cpu];
	uint32_t late;

	if (s->due)
		s->due--;
	else if ((late = arch_exchange(&s->more, 0)) != 0)
		nmi_owe(s, late - 1);
	else if (sharers[cpu].count || nmi_was_on_its_way(cpu))
		arch_spurious[cpu]++;
	else if (!__atomic_load_n(&s->sent, __ATOMIC_RELAXED)) /* until just now? */
		panic_exception(regs);
}

/* Kept short, because its time is counted on CPUs that have no switch for their counters. */
static void nmi_account_unclaimed(const struct arch_regs *regs, unsigned cpu)
{
	if (__builtin_expect(sharers[cpu].count && !x86_signals[cpu].due, 1))
		arch_spurious[cpu]++;
	else
		nmi_account_rare(regs, cpu);
}

static __attribute__((noinline)) void nmi_hear(const struct arch_regs *regs, bool alone)
{
	struct signal *s = &x86_signals[arch_cpu()];

	if (!arch_exchange(&s->sent, 0))
		return;
	nmi_owe(s, !alone + arch_exchange(&s->more, 0));
	signal_handler(regs);
}

/* Signals are noted before their NMIs are sent, and an NMI that comes while this runs is taken
 * after it, so no signal is missed. */
void x86_nmi_rest(const struct arch_regs *regs, uint32_t how)
{
	unsigned cpu = trace_cpu();

	if (how == ARCH_PMI_NOT_MINE)
		nmi_account_unclaimed(regs, cpu);
	if (how & ARCH_PMI_NOT_MINE && sharers[cpu].count)
		arch_pmi_ack();
	if (__atomic_load_n(&x86_signals[cpu].sent, __ATOMIC_RELAXED))
		nmi_hear(regs, how == (ARCH_PMI_NOT_MINE | 1));
}

/* Whether the NMI interrupted one of our handlers or their entries. */
static __attribute__((noinline)) bool nmi_nested(const struct arch_regs *regs)
{
	return trace_interrupted(trace_cpu(), regs, ARCH_ENTERED_NMI);
}

bool x86_nmi_hidden(const struct arch_regs *regs)
{
	unsigned cpu = trace_cpu();

	if (__builtin_expect(x86_trace[cpu].depth != 1, 0) ||
	    __builtin_expect(trace_in_entries(regs->rip), 0))
		return nmi_nested(regs);
	return x86_trace_entered(cpu, ARCH_ENTERED_ALONE);
}

/* All handlers are called, whatever other cause there was, because one NMI may carry several that
 * came while NMIs were blocked. */
bool x86_nmi_hosted(const struct arch_regs *regs)
{
	if (!sharers[0].count)
		return false;
	if (arch_pmi_list_call(&sharers[0], regs) == ARCH_PMI_MINE)
		return true;
	arch_pmi_ack();
	return false;
}

/* ---- Signals ---- */

void x86_expect_signal(unsigned cpu)
{
	if (arch_exchange(&x86_signals[cpu].sent, 1))
		arch_exchange(&x86_signals[cpu].more, arch_cpu_count());
}

void arch_signal_init(arch_handler_fn handler)
{
	signal_handler = handler;
}
