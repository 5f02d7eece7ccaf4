/* SPDX-License-Identifier: MIT */
/*
 * The state that an exception interrupted, as vectors.S stores it on the exception stack.
 */
#ifndef ARCH_AARCH64_REGS_H
#define ARCH_AARCH64_REGS_H

/* Offsets in struct arch_regs, for vectors.S */
#define REGS_FRAME    144
#define REGS_X30      160
#define REGS_X19      176
#define REGS_PSTATE   256
#define REGS_FAR      272
#define REGS_COUNTERS REGS_FAR
#define REGS_VECTOR   280
#define REGS_SIZE     288

/* struct arch_regs, vector */
#define VECTOR_INTERRUPT 0  /* IRQ or FIQ */
#define VECTOR_EXCEPTION 16 /* + the vector's offset in its table / 0x80 */
#define VECTOR_KIND_MASK 3  /* 0: synchronous */
#define VECTOR_IRQ       1
#define VECTOR_FIQ       2
#define VECTOR_SERROR    3
/* vectors from here on: from below our exception level */
#define VECTOR_LOWER     (VECTOR_EXCEPTION + 8)
#define VECTOR_COUNT     16

/* HVC numbers for calls from the payload's level (vectors.S, payload.S) */
#define HVC_PAYLOAD_RETURN 0xb0 /* x0 is the payload's result */
#define HVC_PAYLOAD_SIGNAL 0xb1 /* x0: argument of arch_cpu_signal() */
#define HVC_PAYLOAD_VECTOR 0xc0 /* + vector: an exception that the payload took at EL1 */

#ifndef __ASSEMBLER__
#include <stddef.h>
#include <stdint.h>

struct arch_regs {
	uint64_t x[18];
	uint64_t fp, pc; /* x29, ELR_ELx: a frame record that links to the interrupted code's */
	uint64_t x30, x18;
	/* these are not set for an interrupt */
	uint64_t x19[10]; /* to x28 */
	uint64_t pstate;  /* SPSR_ELx */
	uint64_t esr;
	union {
		uint64_t far;      /* meaningful for aborts and alignment faults only */
		uint64_t counters; /* PMCNTENSET_EL0 before counters were stopped */
	};
	uint64_t vector;
};
_Static_assert(offsetof(struct arch_regs, fp) == REGS_FRAME, "REGS_FRAME");
_Static_assert(offsetof(struct arch_regs, x30) == REGS_X30, "REGS_X30");
_Static_assert(offsetof(struct arch_regs, x19) == REGS_X19, "REGS_X19");
_Static_assert(offsetof(struct arch_regs, pstate) == REGS_PSTATE, "REGS_PSTATE");
_Static_assert(offsetof(struct arch_regs, far) == REGS_FAR, "REGS_FAR");
_Static_assert(offsetof(struct arch_regs, vector) == REGS_VECTOR, "REGS_VECTOR");
_Static_assert(sizeof(struct arch_regs) == REGS_SIZE && REGS_SIZE % 16 == 0, "REGS_SIZE");
#endif

#endif
