/* SPDX-License-Identifier: MIT */
/* For a test that single-steps itself: SIGTRAP before each instruction from start to end. x86
 * only. */
#ifndef ARCH_HOST_STEP_H
#define ARCH_HOST_STEP_H

#include <stdbool.h>
#include <stdint.h>
#include <ucontext.h>

#if defined(__x86_64__)
#define HOST_CAN_STEP true
/* Change TF; the stack pointer is first moved below the red zone, which the compiler may be
 * using. */
#define HOST_CHANGE_FLAGS(how)                                       \
	__asm__ volatile("leaq -128(%%rsp), %%rsp\n\tpushfq\n\t" how \
	                 "\n\tpopfq\n\t"                             \
	                 "leaq 128(%%rsp), %%rsp" ::                 \
	                     : "memory", "cc")

static inline __attribute__((always_inline)) void host_step_start(void)
{
	HOST_CHANGE_FLAGS("orq $0x100, (%%rsp)");
}

static inline __attribute__((always_inline)) void host_step_end(void)
{
	HOST_CHANGE_FLAGS("andq $~0x100, (%%rsp)");
}

/* Stop stepping. In the signal's handler. */
static inline void host_step_leave(ucontext_t *context)
{
	context->uc_mcontext.gregs[REG_EFL] &= ~0x100;
}

/* The address of the instruction that will run next. */
static inline uint64_t host_step_at(const ucontext_t *context)
{
	return (uint64_t)context->uc_mcontext.gregs[REG_RIP];
}

/* Continue in a function that never returns, as if it had been called at this point, on the same
 * stack below the used part. In the signal's handler. */
static inline void host_step_redirect(ucontext_t *context, void (*fn)(void))
{
	greg_t *regs = context->uc_mcontext.gregs;

	regs[REG_RSP] = ((regs[REG_RSP] - 256) & ~15LL) - 8;
	regs[REG_RIP] = (greg_t)fn;
}
#else
#define HOST_CAN_STEP false
static inline void host_step_start(void)
{
}

static inline void host_step_end(void)
{
}

static inline void host_step_leave(ucontext_t *context)
{
	(void)context;
}

static inline uint64_t host_step_at(const ucontext_t *context)
{
	(void)context;
	return 0;
}

static inline void host_step_redirect(ucontext_t *context, void (*fn)(void))
{
	(void)context, (void)fn;
}
#endif

#endif
