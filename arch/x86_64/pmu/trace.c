/* SPDX-License-Identifier: MIT */
/* Hides handlers from traces and counters; see trace.h. SDM volume 3B, 17.4. */
#include "arch/x86_64/pmu/trace.h"

#include "arch/x86_64/cpu.h"
#include "arch/x86_64/interrupt/descriptors.h"
#include "arch/x86_64/pmu/perfmon.h"
#include "arch/x86_64/pmu/trace_step.h"
#include "arch/x86_64/registers.h"

extern const struct trace_step x86_trace_steps[], x86_trace_steps_end[]; /* entry.S */

#define LAST_CPU (ARCH_MAX_CPUS - 1)

struct x86_trace x86_trace[] = { [0 ... LAST_CPU] = { .depth = TRACE_SHOWN } };
arch_entered_fn x86_trace_entered;
static bool any_hides; /* some CPU has hidden its handlers before */

unsigned trace_in_entry(struct x86_trace *trace, const struct arch_regs *regs)
{
	uint32_t offset = (uint32_t)(regs->rip - (uint64_t)x86_vectors);
	unsigned how = trace_undo(x86_trace_steps, x86_trace_steps_end, &trace->depth, &offset);

	((struct arch_regs *)(uintptr_t)regs)->rip = (uint64_t)x86_vectors + offset;
	return how;
}

static struct x86_trace *trace_here(void)
{
	return &x86_trace[arch_cpu()];
}

static bool trace_is_hidden(const struct x86_trace *trace)
{
	return !(trace->depth & TRACE_SHOWN);
}

/* From now on the entries in entry.S hide handlers from the counters that the register global
 * switches. This handler was entered before that, so it switches the counters off itself. */
static void trace_hide(struct x86_trace *trace, uint32_t global)
{
	any_hides = true;
	trace->global = global;
	trace->global_ctrl = arch_reg_read(global);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	trace->depth ^= TRACE_SHOWN;
	if (trace->depth) /* the number of running handlers */
		wrmsr(global, 0);
}

/* From now on entry.S leaves the register alone, also at the end of this handler. So this handler
 * gives the register its value back. */
static void trace_show(struct x86_trace *trace)
{
	trace->depth ^= TRACE_SHOWN;
	if (trace->depth & ~TRACE_SHOWN)
		wrmsr(trace->global, trace->global_ctrl);
}

void arch_counters_hide(uint32_t reg)
{
	struct x86_trace *trace = &x86_trace[arch_cpu()];

	trace->counters = reg != 0;
	if (reg && !trace_is_hidden(trace))
		trace_hide(trace, reg);
	if (!reg && trace_is_hidden(trace) && !trace->hides)
		trace_show(trace);
}

static void trace_begin_trace(struct x86_trace *trace, uint32_t reg, arch_entered_fn entered)
{
	if (entered)
		x86_trace_entered = entered;
	trace->control = arch_reg_read(reg);
	trace->off = (uint16_t)trace->control;
	if (!trace_is_hidden(trace))
		trace_hide(trace, IA32_PERF_GLOBAL_CTRL);
	__atomic_store_n(&trace->hides, reg, __ATOMIC_RELEASE);
	__atomic_store_n(&trace->informs, (bool)entered, __ATOMIC_RELEASE);
}

static void trace_end_trace(struct x86_trace *trace)
{
	uint32_t reg = trace->hides;

	__atomic_store_n(&trace->informs, false, __ATOMIC_RELEASE);
	__atomic_store_n(&trace->hides, 0, __ATOMIC_RELEASE);
	if (trace->depth) /* entry.S no longer does this at the end of this handler */
		wrmsr(reg, trace->control);
	if (!trace->counters)
		trace_show(trace);
}

void arch_trace_hide(uint32_t reg, arch_entered_fn entered)
{
	struct x86_trace *trace = &x86_trace[arch_cpu()];

	if (reg && !trace->hides)
		trace_begin_trace(trace, reg, entered);
	else if (!reg && trace->hides)
		trace_end_trace(trace);
}

void arch_trace_entries(uint64_t *start, uint64_t *size)
{
	*start = (uint64_t)x86_vectors;
	*size = (uint64_t)(x86_entries_end - x86_vectors);
}

bool arch_trace_held(void)
{
	return any_hides && trace_here()->hides && trace_here()->depth;
}

bool arch_interrupts_thread(const struct arch_regs *regs)
{
	return (trace_here()->depth & ~TRACE_SHOWN) == 1 && !trace_in_entries(regs->rip);
}

/* Where the register's value is saved; NULL: the register itself is valid. */
static uint64_t *trace_word_of(uint32_t reg)
{
	struct x86_trace *trace;

	if (!any_hides)
		return NULL;
	trace = trace_here();
	if (reg == trace->hides)
		return &trace->control;
	return reg == trace->global && trace_is_hidden(trace) ? &trace->global_ctrl : NULL;
}

bool trace_read(uint32_t reg, uint64_t *value)
{
	const uint64_t *word = trace_word_of(reg);

	if (word)
		*value = *word;
	return word;
}

/* The saved word is written first: a handler that comes in between restores the register from
 * it. */
bool trace_write(uint32_t reg, uint64_t value)
{
	uint64_t *word = trace_word_of(reg);

	if (!word)
		return false;
	__atomic_store_n(word, value, __ATOMIC_RELAXED);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	if (!trace_here()->depth)
		wrmsr(reg, value);
	return true;
}
