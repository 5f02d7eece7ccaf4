/* SPDX-License-Identifier: MIT */
/*
 * The arch seam of microbenchmarks (agent/bench/): the generated code around a snippet.
 *
 *	registers of the ABI are saved, and five registers get the areas' addresses
 *	init
 *	with loops: the loop register gets their number
 *	NOPs, so that the copies begin where `alignment` says
 *	the values are read into memory, without a change of registers or flags
 *	late init; with drain: long NOPs
 *	the copies of the code; with loops: decrement, branch to the first copy
 *	with drain: long NOPs
 *	the values are read again
 *	the saved registers are restored, and the code returns
 */
#ifndef ARCH_BENCH_H
#define ARCH_BENCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ARCH_BENCH_AREAS 5U /* x86: R14, RDI, RSI, RBP, RSP; Arm: X28, X26, X27, X25, SP */

/* A value to read. */
enum arch_bench_kind {
	ARCH_BENCH_CLOCK,    /* TSC; CNTVCT_EL0 */
	ARCH_BENCH_COUNTER,  /* x86: RDPMC's selector; Arm: event counter, 31: cycle counter */
	ARCH_BENCH_REGISTER, /* x86: an MSR */
};

struct arch_bench_read {
	enum arch_bench_kind kind;
	uint32_t selector;
};

struct arch_bench_bytes {
	const uint8_t *bytes;
	size_t size;
};

struct arch_bench_code {
	struct arch_bench_bytes init, late_init, code;
	const struct arch_bench_read *reads;
	unsigned nr_reads;
	/* [0, nr_reads): the first reading; [nr_reads, 2 * nr_reads): the second; then
	 * ARCH_BENCH_SCRATCH words of the generated code. no_mem: the first reading is 0, and the
	 * second the difference. */
	uint64_t *values;
	/* x86: instead of two readings, the code writes this MSR before late_init and, behind an
	 * LFENCE, sets it to 0 after the copies; 0: it does not. The caller reads the counters. */
	uint32_t gate;
	uint64_t gate_on;
	uint64_t areas[ARCH_BENCH_AREAS];
	uint32_t copies, loops, alignment;
	bool no_mem; /* values are kept in registers; at most arch_bench_no_mem_reads() of them */
	bool drain;
	bool user; /* for arch_bench_enter_user(): no register is saved, and an exception ends it */
};

/* Offsets in the built code. */
struct arch_bench_places {
	size_t copies; /* the first copy */
	size_t exit;   /* user: the instruction whose exception ends the code */
};

#define ARCH_BENCH_SCRATCH 4U

/* Build the code at to[room]. Returns its size in bytes; 0: it does not fit. Then make it
 * executable on all CPUs: arch_bench_ready(). Thread. */
size_t arch_bench_build(const struct arch_bench_code *code, uint8_t *to, size_t room,
                        struct arch_bench_places *places);
void arch_bench_ready(const uint8_t *code, size_t size);

/* The number of values that fit into registers. Any context. */
unsigned arch_bench_no_mem_reads(void);

/* Whether values of this kind can be read, at the user level or at ours. Any context. */
bool arch_bench_can_read(enum arch_bench_kind kind, bool user);

/* Run code at the user level (ring 3; EL0), with interrupts masked as they are now. Never returns:
 * the handler of an exception or interrupt redirects it (arch_regs_redirect()). Handlers use the
 * stack below sp. Between arch_bench_begin() and arch_bench_end(). Thread. */
_Noreturn void arch_bench_enter_user(const uint8_t *code, uint64_t sp);

/* Whether the user level was interrupted. A handler. */
struct arch_regs;
bool arch_bench_is_user(const struct arch_regs *regs);

/* Let memory of ARCH_MAP_SNIPPETS be executed, which is writable; and forbid it again. Arm:
 * SCTLR.WXN, which flushes the TLB; x86: the page tables always allow it. Meanwhile the user level
 * may read clock and counters, and all code here may access ARCH_MAP_USER_DATA. Thread. */
void arch_bench_begin(void);
void arch_bench_end(void);

/* Save the floating-point control registers before a snippet may change them; restore them
 * afterwards, also after an exception of the snippet. Thread. */
struct arch_bench_state {
	uint64_t words[6];
};
void arch_bench_save(struct arch_bench_state *state);
void arch_bench_restore(const struct arch_bench_state *state);

#endif
