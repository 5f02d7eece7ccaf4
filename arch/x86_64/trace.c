/* SPDX-License-Identifier: MIT */
/* Handlers that nothing traces or counts; see trace.h. SDM volume 3B, 17.4. */
#include "arch/x86_64/trace.h"

#include "arch/x86_64/cpu.h"
#include "arch/x86_64/descriptors.h"
#include "arch/x86_64/perfmon.h"
#include "arch/x86_64/registers.h"
#include "arch/x86_64/trace_step.h"

extern const struct trace_step x86_trace_steps[], x86_trace_steps_end[]; /* entry.S */

struct x86_trace x86_trace[ARCH_MAX_CPUS];
uint32_t x86_trace_hides;
arch_entered_fn x86_trace_entered;
static bool any_hides; /* some CPU has done so once: from then on TR is ours */

unsigned trace_in_entry(struct x86_trace *trace, const struct arch_regs *regs)
{
	uint32_t offset = (uint32_t)(regs->rip - (uint64_t)x86_vectors);
	unsigned how = trace_undo(x86_trace_steps, x86_trace_steps_end, &trace->depth, &offset);

	((struct arch_regs *)(uintptr_t)regs)->rip = (uint64_t)x86_vectors + offset;
	return how;
}

/* In handlers, and after arch_trace_hide(). */
static struct x86_trace *here(void)
{
	return &x86_trace[trace_cpu()];
}

/* How many CPUs hide theirs, and by that the way that all CPUs' NMIs take. An NMI that ends a trace
 * never interrupts who is in here: its own CPU has no trace then. */
static void count_hiding(unsigned one)
{
	static uint32_t locked;

	while (arch_exchange(&locked, 1))
		arch_relax();
	x86_trace_hides += one;
	descriptors_hide_nmi();
	__atomic_store_n(&locked, 0, __ATOMIC_RELEASE);
}

void arch_trace_hide(arch_entered_fn entered)
{
	struct x86_trace *trace = &x86_trace[arch_cpu()];
	bool hid = trace->hide;

	if (entered) {
		x86_trace_entered = entered;
		if (!hid)
			count_hiding(1);
		any_hides = true;
		trace->depth =
		    0; /* an NMI may have ended the last trace in an entry's first steps */
		trace->debugctl = arch_reg_read(IA32_DEBUGCTL);
		trace->global_ctrl = arch_reg_read(IA32_PERF_GLOBAL_CTRL);
	}
	__atomic_store_n(&trace->hide, entered != NULL, __ATOMIC_RELEASE);
	if (!entered && trace->depth) {
		/* In a handler, which will not put the registers back. */
		trace->depth = 0;
		wrmsr(IA32_PERF_GLOBAL_CTRL, trace->global_ctrl);
		wrmsr(IA32_DEBUGCTL, trace->debugctl);
	}
	if (!entered && hid)
		count_hiding(-1U);
}

bool arch_trace_held(void)
{
	return any_hides && here()->hide && here()->depth;
}

bool arch_trace_interrupts_thread(const struct arch_regs *regs)
{
	return any_hides && here()->hide && here()->depth == 1 && !trace_in_entries(regs->rip);
}

static uint64_t *word_of(struct x86_trace *trace, uint32_t reg)
{
	return reg == IA32_DEBUGCTL ? &trace->debugctl : &trace->global_ctrl;
}

static bool is_kept(uint32_t reg)
{
	return (reg == IA32_DEBUGCTL || reg == IA32_PERF_GLOBAL_CTRL) && any_hides && here()->hide;
}

bool trace_read(uint32_t reg, uint64_t *value)
{
	if (!is_kept(reg))
		return false;
	*value = *word_of(here(), reg);
	return true;
}

/* The word first: a handler that comes between leaves the register as the word says. */
bool trace_write(uint32_t reg, uint64_t value)
{
	struct x86_trace *trace;

	if (!is_kept(reg))
		return false;
	trace = here();
	__atomic_store_n(word_of(trace, reg), value, __ATOMIC_RELAXED);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	if (!trace->depth)
		wrmsr(reg, value);
	return true;
}
