/* SPDX-License-Identifier: MIT */
/*
 * How our handlers are hidden from branch traces and counters: entry.S switches both off before its
 * first taken branch and on again before IRET. The values are saved here for each CPU. Handlers are
 * hidden from counters while bareperf uses these, and from a trace while one runs. entry.S includes
 * the upper half of this header.
 */
#ifndef ARCH_X86_64_PMU_TRACE_H
#define ARCH_X86_64_PMU_TRACE_H

/* struct x86_trace: 32 bytes a CPU, which is two steps of TR's selectors */
#define TRACE_CONTROL     0
#define TRACE_GLOBAL_CTRL 8
#define TRACE_DEPTH       16
#define TRACE_SWITCH      20
#define TRACE_HIDES       24
#define TRACE_INFORMS     28
#define TRACE_OFF         30
#define TRACE_SHOWN       0x80000000 /* value of depth: nothing is hidden on this CPU */

#ifndef __ASSEMBLER__
#include "arch/arch.h"
#include "arch/x86_64/cpu.h"
#include "arch/x86_64/interrupt/descriptors.h"

struct x86_trace {
	uint64_t control, global_ctrl; /* the registers' values for code outside handlers */
	/* The number of running handlers and of arch_trace_hold(), plus TRACE_SHOWN; 0: the
	 * registers are live. */
	uint32_t depth;
	uint32_t global; /* the MSR that switches the counters, whose value is global_ctrl */
	/* the MSR that switches a trace from which handlers are hidden as well, whose value is
	 * control; 0: none */
	uint32_t hides;
	bool informs;  /* x86_trace_entered is called */
	bool counters; /* bareperf uses the counters, and handlers are hidden from them */
	uint16_t off;  /* the value of hides in handlers */
};
_Static_assert(offsetof(struct x86_trace, control) == TRACE_CONTROL, "entry.S");
_Static_assert(offsetof(struct x86_trace, global_ctrl) == TRACE_GLOBAL_CTRL, "entry.S");
_Static_assert(offsetof(struct x86_trace, depth) == TRACE_DEPTH, "entry.S");
_Static_assert(offsetof(struct x86_trace, global) == TRACE_SWITCH, "entry.S");
_Static_assert(offsetof(struct x86_trace, hides) == TRACE_HIDES, "entry.S");
_Static_assert(offsetof(struct x86_trace, informs) == TRACE_INFORMS, "entry.S");
_Static_assert(offsetof(struct x86_trace, off) == TRACE_OFF, "entry.S");
_Static_assert(sizeof(struct x86_trace) == 32, "entry.S");

/* Indexed by arch_cpu(). Hidden: entry.S addresses it relative to itself. */
extern struct x86_trace x86_trace[ARCH_MAX_CPUS];

/* entry.S: the end of its entries; x86_vectors is their begin. */
extern const char x86_entries_end[] __attribute__((visibility("hidden")));

/* arch_cpu() for code that runs only after TR was loaded by us. */
static inline unsigned trace_cpu(void)
{
	uint32_t task;

	__asm__ volatile("str %0" : "=r"(task));
	return (task - GDT_TSS) / 16;
}

static inline bool trace_in_entries(uint64_t pc)
{
	return pc < (uint64_t)x86_entries_end && pc >= (uint64_t)x86_vectors;
}

/* The function that is called at each interrupt. */
extern arch_entered_fn x86_trace_entered __attribute__((visibility("hidden")));

/* An NMI with these registers interrupted entry.S: calls trace_undo(). */
unsigned trace_in_entry(struct x86_trace *trace, const struct arch_regs *regs);

/* Called by interrupts.c and nmi.c at an interrupt's start on a CPU whose trace is informed;
 * returns the result of arch_entered_fn. nmi: ARCH_ENTERED_NMI or 0. Any context. */
static inline bool trace_interrupted(unsigned cpu, const struct arch_regs *regs, unsigned nmi)
{
	struct x86_trace *trace = &x86_trace[cpu];
	unsigned how = ARCH_ENTERED_OUTERMOST | nmi;

	if (__builtin_expect(trace_in_entries(regs->rip), 0))
		how = ARCH_ENTERED_OUTERMOST | trace_in_entry(trace, regs);
	return __builtin_expect(trace->depth == 1, 1) && x86_trace_entered(cpu, how);
}

/* arch_reg_read() and arch_reg_write() of the two registers while a CPU hides its handlers and the
 * registers' contents are saved ones; return false if that is not the case. A handler's write takes
 * effect at the handler's end. */
bool trace_read(uint32_t reg, uint64_t *value);
bool trace_write(uint32_t reg, uint64_t value);
#endif

#endif
