/* SPDX-License-Identifier: MIT */
/*
 * What an exception interrupted, as vectors.S lays it on the exception stack.
 */
#ifndef ARCH_AARCH64_REGS_H
#define ARCH_AARCH64_REGS_H

/* Offsets in struct arch_regs, for vectors.S */
#define REGS_SP     248
#define REGS_PC     256
#define REGS_PSTATE 264
#define REGS_ESR    272
#define REGS_FAR    280
#define REGS_VECTOR 288
#define REGS_FRAME  304
#define REGS_SIZE   320

/* REGS_VECTOR: the vector's offset in its table / 0x80 */
#define VECTOR_KIND_MASK 3
#define VECTOR_SYNC      0
#define VECTOR_IRQ       1
#define VECTOR_FIQ       2
#define VECTOR_SERROR    3
#define VECTOR_CURRENT_H 4 /* first that comes from code on SP_ELx: a handler */
#define VECTOR_LOWER     8 /* first that comes from a lower exception level: the payload */
#define VECTOR_COUNT     16

/* HVC immediates of the payload's side (vectors.S, payload.S) */
#define HVC_PAYLOAD_RETURN 0xb0 /* x0 is what the payload returned */
#define HVC_PAYLOAD_VECTOR 0xc0 /* + vector: an exception that the payload took at EL1 */

#ifndef __ASSEMBLER__
#include "arch/arch.h"

struct arch_regs {
	uint64_t x[31];
	uint64_t sp;     /* of the interrupted code, filled in by exception.c */
	uint64_t pc;     /* ELR_ELx */
	uint64_t pstate; /* SPSR_ELx */
	uint64_t esr;
	uint64_t far;    /* meaningful for aborts and alignment faults only */
	uint64_t vector; /* VECTOR_* */
	uint64_t reserved;
	struct arch_frame frame; /* links a handler's frames to the interrupted code's */
};
_Static_assert(offsetof(struct arch_regs, sp) == REGS_SP, "REGS_SP");
_Static_assert(offsetof(struct arch_regs, pc) == REGS_PC, "REGS_PC");
_Static_assert(offsetof(struct arch_regs, pstate) == REGS_PSTATE, "REGS_PSTATE");
_Static_assert(offsetof(struct arch_regs, esr) == REGS_ESR, "REGS_ESR");
_Static_assert(offsetof(struct arch_regs, far) == REGS_FAR, "REGS_FAR");
_Static_assert(offsetof(struct arch_regs, vector) == REGS_VECTOR, "REGS_VECTOR");
_Static_assert(offsetof(struct arch_regs, frame) == REGS_FRAME, "REGS_FRAME");
_Static_assert(sizeof(struct arch_regs) == REGS_SIZE && REGS_SIZE % 16 == 0, "REGS_SIZE");

/* Go on where regs say, at the exception level and on the stack that they say. From a handler. */
_Noreturn void arm_regs_resume(const struct arch_regs *regs);
#endif

#endif
