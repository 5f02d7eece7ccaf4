/* SPDX-License-Identifier: MIT */
/* The saved state, for arch_inline.h and entry.S. */
#ifndef ARCH_X86_64_REGS_H
#define ARCH_X86_64_REGS_H

#define REGS_PRESERVED 5   /* words at the beginning: registers that a C function preserves */
#define REGS_VECTOR    120 /* bytes */

#ifndef __ASSEMBLER__
#include <stddef.h>
#include <stdint.h>

/* Pushed by entry.S; the last five words by the CPU (SDM volume 3A, 6.14.2). */
struct arch_regs {
	uint64_t rbx, r12, r13, r14, r15;
	uint64_t rbp, r11, r10, r9, r8;
	uint64_t rdi, rsi, rdx, rcx, rax;
	uint64_t vector, error;
	uint64_t rip, cs, rflags, rsp, ss;
};
_Static_assert(sizeof(struct arch_regs) == 22 * 8, "entry.S pushes 22 words");
_Static_assert(offsetof(struct arch_regs, rbp) == 8 * REGS_PRESERVED, "entry.S");
_Static_assert(offsetof(struct arch_regs, vector) == REGS_VECTOR, "entry.S");
#endif

#endif
