/* SPDX-License-Identifier: MIT */
/* A CPU for unit tests: its state is what the test says, its timer fires when told. */
#ifndef ARCH_HOST_FAKE_CPU_H
#define ARCH_HOST_FAKE_CPU_H

#include "arch/arch.h"
#include "arch/step.h"

struct arch_regs {
	uint64_t pc, fp, sp;
};

/* The result of arch_elf_machine(). */
extern uint16_t fake_machine;

/* The result of arch_levels(); all levels by default. */
extern unsigned fake_levels;

/* The result of arch_cpu(). */
extern unsigned fake_cpu_number;

/* The registers behind arch_reg_read() and arch_reg_write(), as the test models them; NULL:
 * nothing there. fake_pmi(regs) is the overflow interrupt; it and the timer's hide what
 * arch_counters_hide() says. */
extern uint64_t (*fake_reg_read)(uint32_t reg);
extern void (*fake_reg_write)(uint32_t reg, uint64_t value);
void fake_pmi(const struct arch_regs *regs);
/* Handlers are entered with the counters running, as on machines whose entry is another's. */
extern bool fake_never_hides;
/* How many take part in it on this CPU; whether another CPU's signal has come the same way. */
unsigned fake_pmi_sharers(void);
extern bool fake_signalled;

/* The same for hardware that writes a trace; fake_trace_sync() is what arch_trace_sync() does. */
extern arch_handler_fn fake_trace_interrupt;
extern void (*fake_trace_sync)(void);
/* The last argument of arch_trace_hide(), and the number of holds without release; the effect of a
 * loop of so many iterations on the registers, NULL: none. */
extern arch_entered_fn fake_entered;
extern unsigned fake_trace_held;
extern void (*fake_spin)(uint64_t iterations);

/* arch_interrupts_thread() says no. */
extern bool fake_nested;

/* fake_branch(from, to) is a step that branched; fake_steps counts begin without end. */
extern arch_branch_fn fake_branch;
extern unsigned fake_steps;
extern bool fake_no_step;

/* The only stack that arch_stack_bounds() knows; none while high is 0. */
extern uint64_t fake_stack_low, fake_stack_high;

/* The results of arch_hosted_assumes_frames() and arch_hosted_has_frame(); the only address that
 * arch_hosted_is_return() refuses; arch_hosted_leaf_return(). */
extern bool fake_assumes_frames, fake_has_frame;
extern uint64_t fake_no_return, fake_leaf_return;

/* The last deadline of arch_timer_arm(); 0: disarmed. The result of arch_timer_lacks(). */
extern uint64_t fake_timer_deadline;
extern const char *fake_timer_lacks;

/* Is the calling code a handler of this CPU's, of the timer or the overflow interrupt? */
bool fake_in_handler(void);

/* Let time pass up to cycles, firing the timer on the way whenever it is due, each time late
 * cycles late, with regs as the interrupted state; what the handlers take comes on top. Returns how
 * often it fired. */
unsigned fake_cpu_run(uint64_t cycles, uint64_t late, const struct arch_regs *regs);

#endif
