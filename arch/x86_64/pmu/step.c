/* SPDX-License-Identifier: MIT */
/*
 * Taken branches by single-step: with RFLAGS.TF set a debug exception follows every instruction
 * (SDM volume 3B, 17.3.1.4). The instruction's bytes show whether it was a branch. Handlers run
 * with TF clear; IRET sets it again.
 */
#include "arch/x86_64/pmu/step.h"

#include "arch/step.h"
#include "arch/x86_64/cpu.h"
#include "arch/x86_64/interrupt/interrupts.h"
#include "arch/x86_64/registers.h"

#define DR6_BS      (1ULL << 14)
#define LONGEST     15U /* bytes of the longest instruction */
#define TWO_BYTE    0x0f
#define GROUP_5     0xff
#define MODRM_FIELD 3U

static const struct arch_step_ops *reports;
static uint64_t last[ARCH_MAX_CPUS]; /* the running instruction; 0: unknown */
static bool stepping[ARCH_MAX_CPUS];

/* ---- Decoding ---- */

/* SDM volume 2A, 2.1.1 and 2.2.1: legacy prefixes, REX. */
static bool step_is_prefix(uint8_t byte)
{
	switch (byte) {
	case 0x26:
	case 0x2e:
	case 0x36:
	case 0x3e:
	case 0x64 ... 0x67:
	case 0xf0:
	case 0xf2:
	case 0xf3:
	case 0x40 ... 0x4f:
		return true;
	default:
		return false;
	}
}

/* SYSCALL, SYSRET, SYSENTER, SYSEXIT always branch; Jcc branches unless `to` is the next
 * instruction. */
static bool step_two_byte_branches(const uint8_t *code, uint64_t to)
{
	switch (code[0]) {
	case 0x05:
	case 0x07:
	case 0x34:
	case 0x35:
		return true;
	case 0x80 ... 0x8f:
		return to != (uint64_t)code + 5;
	default:
		return false;
	}
}

/* Volume 2D, table A-2: whether the instruction at from took a branch to `to`. Reads only bytes of
 * this instruction. */
static bool step_branches(uint64_t from, uint64_t to)
{
	const uint8_t *code = (const uint8_t *)from;

	for (unsigned i = 0; i < LONGEST && step_is_prefix(*code); i++)
		code++;
	switch (code[0]) {
	case 0x70 ... 0x7f: /* Jcc */
	case 0xe0 ... 0xe3: /* LOOPcc, JCXZ */
		return to != (uint64_t)code + 2;
	case 0xc2: /* RET */
	case 0xc3:
	case 0xca:
	case 0xcb:
	case 0xcf: /* IRET */
	case 0xe8: /* CALL */
	case 0xe9: /* JMP */
	case 0xeb:
		return true;
	case GROUP_5: /* CALL and JMP, near and far, through a register or memory */
		return (code[1] >> MODRM_FIELD & 7) >= 2 && (code[1] >> MODRM_FIELD & 7) <= 5;
	case TWO_BYTE:
		return step_two_byte_branches(code + 1, to);
	default:
		return false;
	}
}

/* Volume 3A, 6.8.3: behind MOV SS the exception comes one instruction late; on some emulators also
 * behind STI and HLT. Returns the address of the instruction that led to `to`, if the one at from
 * was executed first. */
static uint64_t step_behind_shadow(uint64_t from, uint64_t to)
{
	const uint8_t *code = (const uint8_t *)from;
	uint64_t next = from;

	if (code[0] == 0xfb || code[0] == 0xf4)
		next = from + 1; /* STI, HLT */
	else if (code[0] == 0x8e && (code[1] & 0xf8) == 0xd0)
		next = from + 2; /* MOV SS, register */
	return next == to ? from : next;
}

/* ---- The exception ---- */

static void step_debug_exception(const struct arch_regs *regs)
{
	uint64_t dr6, *from = &last[arch_cpu()], before = *from;

	__asm__ volatile("movq %%db6, %0" : "=r"(dr6));
	if (!(dr6 & DR6_BS) || !reports)
		panic_exception(regs);
	__asm__ volatile("movq %0, %%db6" : : "r"(dr6 & ~DR6_BS));
	*from = regs->rip;
	/* An interrupt's handler has ended stepping, but its return has restored TF once more. */
	if (!stepping[arch_cpu()])
		((struct arch_regs *)(uintptr_t)regs)->rflags &= ~RFLAGS_TF;
	if (!before)
		return;
	before = step_behind_shadow(before, regs->rip);
	if (step_branches(before, regs->rip))
		reports->taken(before, regs->rip);
}

void step_forget(void)
{
	last[arch_cpu()] = 0;
}

/* ---- The seam ---- */

int arch_step_init(const struct arch_step_ops *ops)
{
	reports = ops;
	interrupts_set_handler(VECTOR_DB, step_debug_exception);
	return 0;
}

bool arch_step_possible(void)
{
	return true;
}

/* Stepping begins with the instruction after the one that sets TF. */
void arch_step_begin(void)
{
	step_forget();
	stepping[arch_cpu()] = true;
	__asm__ volatile("pushfq; orq %0, (%%rsp); popfq" : : "i"(RFLAGS_TF) : "memory", "cc");
}

void arch_step_end(void)
{
	stepping[arch_cpu()] = false;
	__asm__ volatile("pushfq; andq %0, (%%rsp); popfq"
	                 :
	                 : "i"(~(int)RFLAGS_TF)
	                 : "memory", "cc");
}

/* Every instruction is stepped. */
void arch_step_look(void)
{
}
