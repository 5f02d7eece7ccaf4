/* SPDX-License-Identifier: MIT */
/* A simulated CPU for unit tests: the test sets its state and fires its timer. */
#ifndef ARCH_HOST_FAKE_CPU_H
#define ARCH_HOST_FAKE_CPU_H

#include "arch/arch.h"
#include "arch/step.h"

struct arch_regs {
	uint64_t pc, fp, sp;
	bool user;
};

/* The return value of arch_elf_machine(). */
extern uint16_t fake_machine;

/* The return value of arch_levels(); all levels by default. */
extern unsigned fake_levels;

/* The return value of arch_cpu(). */
extern unsigned fake_cpu_number;

/* The registers behind arch_reg_read() and arch_reg_write(), modelled by the test; NULL: no
 * registers. fake_pmi(regs) is the overflow interrupt. It and the timer's interrupt stop the
 * counters as arch_counters_hide() demands. */
extern uint64_t (*fake_reg_read)(uint32_t reg);
extern void (*fake_reg_write)(uint32_t reg, uint64_t value);
void fake_pmi(const struct arch_regs *regs);
/* Handlers run with the counters running, as on machines whose interrupts enter through foreign
 * vectors. */
extern bool fake_never_hides;
/* The number of handlers of that interrupt on this CPU; whether a signal of another CPU came at the
 * same time. */
unsigned fake_pmi_sharers(void);
extern bool fake_signalled;

/* The interrupt of hardware that writes a trace; fake_trace_sync() is called by
 * arch_trace_sync(). */
extern arch_handler_fn fake_trace_interrupt;
extern void (*fake_trace_sync)(void);
/* The last arguments of arch_trace_hide(); the results of arch_trace_entries(); the number of hold
 * calls without release; and the effect of a loop of so many iterations on the registers (NULL:
 * none). */
extern uint32_t fake_trace_hides;
extern arch_entered_fn fake_entered;
extern uint64_t fake_entries, fake_entries_size;
extern unsigned fake_trace_held;
extern void (*fake_spin)(uint64_t iterations);

/* arch_interrupts_thread() returns false. */
extern bool fake_nested;

/* The functions that report steps; the number of begin calls without end; of look calls; the result
 * of arch_step_init(). */
extern const struct arch_step_ops *fake_step_ops;
extern unsigned fake_steps, fake_step_looks;
extern bool fake_no_step;
extern int fake_step_refuses;

/* The only stack that arch_stack_bounds() knows; none if high is 0. */
extern uint64_t fake_stack_low, fake_stack_high;

/* The results of arch_hosted_assumes_frames() and arch_hosted_has_frame(); the only address for
 * which arch_hosted_is_return() returns false; the result of arch_hosted_leaf_return(). */
extern bool fake_assumes_frames, fake_has_frame;
extern uint64_t fake_no_return, fake_leaf_return;

/* The last argument of arch_timer_arm(); 0: disarmed. The result of arch_timer_lacks(). */
extern uint64_t fake_timer_deadline;
extern const char *fake_timer_lacks;

/* Whether the calling code is a handler of this CPU's timer or overflow interrupt. */
bool fake_in_handler(void);

/* Let time pass up to cycles and fire the timer whenever it is due, each time late cycles late,
 * with regs as the interrupted state. Time that the handlers take is added. Returns the number of
 * interrupts. */
unsigned fake_cpu_run(uint64_t cycles, uint64_t late, const struct arch_regs *regs);

#endif
