# SPDX-License-Identifier: MIT
"""A program whose own exception handler marks after any instruction of its marks, on all its CPUs:
by the trap flag (SDM volume 3B, 17.3.1.4), or Arm's software step (DDI 0487, D2.12)."""

SOURCE = r"""
#include <bareperf/mark.h>
#include <bareperf/thread.h>
#include <stdio.h>

#define SEVERAL 5
#define LENGTH  150 /* instructions of a mark where nothing is unusual, and more */

static __thread unsigned steps, turn, instructions;

/* An instruction of the thread's mark is over, which may be half written: in each second turn after
 * one later than before, and after several more in the turns between. */
static __attribute__((used, noinline, target("general-regs-only"))) void mark_step(void)
{
	unsigned first = turn / 2 % LENGTH, last = turn % 2 ? first + SEVERAL : first;

	if (instructions >= first && instructions <= last) {
		bareperf_mark("step %u of %u", steps, turn);
		steps++;
	}
	instructions++;
}

#ifdef __x86_64__

__asm__(".text\n"
	"trapped:\n"
	"	cld\n"
	"	push	%rax\n	push	%rcx\n	push	%rdx\n"
	"	push	%rsi\n	push	%rdi\n	push	%r8\n"
	"	push	%r9\n	push	%r10\n	push	%r11\n"
	"	call	mark_step\n"
	"	pop	%r11\n	pop	%r10\n	pop	%r9\n"
	"	pop	%r8\n	pop	%rdi\n	pop	%rsi\n"
	"	pop	%rdx\n	pop	%rcx\n	pop	%rax\n"
	"	iretq\n");
extern char trapped[];

struct __attribute__((packed)) table {
	uint16_t limit;
	uint64_t base;
};
static uint64_t gates[2 * 256];
static struct table firmwares;

/* The firmware's table, but for #DB, which stays on the stack that it interrupts. */
static void handler_make(void)
{
	uint64_t at = (uint64_t)trapped;

	__asm__ volatile("sidt %0" : "=m"(firmwares));
	for (unsigned i = 0; i < 2 * 256; i++)
		gates[i] = ((const uint64_t *)firmwares.base)[i];
	gates[2] = (at & 0xffff) | (gates[2] & 0xfff8ffff0000) | (at >> 16 & 0xffff) << 48;
	gates[3] = at >> 32;
}

static void handler_on(void)
{
	struct table ours = { sizeof(gates) - 1, (uint64_t)gates };

	__asm__ volatile("lidt %0" : : "m"(ours));
}

static void handler_off(void)
{
	__asm__ volatile("lidt %0" : : "m"(firmwares));
}

#define STEP_ON()  __asm__ volatile("pushf\n orq $0x100, (%%rsp)\n popf" : : : "memory", "cc")
#define STEP_OFF() __asm__ volatile("pushf\n andq $~0x100, (%%rsp)\n popf" : : : "memory", "cc")

#else

#define STEP_ON()  __asm__ volatile("brk #1" : : : "memory")
#define STEP_OFF() __asm__ volatile("brk #2" : : : "memory")
#define READ(reg)  ({ uint64_t v; __asm__ volatile("mrs %0, " #reg : "=r"(v) : : "memory"); v; })
#define WRITE(reg, value) \
	__asm__ volatile("msr " #reg ", %0\n isb" : : "r"((uint64_t)(value)) : "memory")
#define EC_BREAKPOINT 0x31
#define EC_STEP       0x33
#define EC_BRK        0x3c
#define SPSR_SS       (1UL << 21)
#define SPSR_D        (1UL << 9)
#define MDSCR_SS      1UL
#define MDSCR_KDE     (1UL << 13)
#define MDSCR_MDE     (1UL << 15)
#define BCR_EL1       0x1e3UL /* enabled, at EL1, all four bytes */

__asm__(".text\n"
	".balign 2048\n"
	"vectors:\n"
	".rept 4\n	b .\n	.balign 128\n	.endr\n"
	"	sub	sp, sp, #176\n"
	"	stp	x0, x1, [sp]\n	stp	x2, x3, [sp, #16]\n"
	"	stp	x4, x5, [sp, #32]\n	stp	x6, x7, [sp, #48]\n"
	"	stp	x8, x9, [sp, #64]\n	stp	x10, x11, [sp, #80]\n"
	"	stp	x12, x13, [sp, #96]\n	stp	x14, x15, [sp, #112]\n"
	"	stp	x16, x17, [sp, #128]\n	stp	x18, x29, [sp, #144]\n"
	"	str	x30, [sp, #160]\n"
	"	b	trapped\n"
	".balign 2048\n"
	"trapped:\n"
	"	bl	handle\n"
	"	ldp	x0, x1, [sp]\n	ldp	x2, x3, [sp, #16]\n"
	"	ldp	x4, x5, [sp, #32]\n	ldp	x6, x7, [sp, #48]\n"
	"	ldp	x8, x9, [sp, #64]\n	ldp	x10, x11, [sp, #80]\n"
	"	ldp	x12, x13, [sp, #96]\n	ldp	x14, x15, [sp, #112]\n"
	"	ldp	x16, x17, [sp, #128]\n	ldp	x18, x29, [sp, #144]\n"
	"	ldr	x30, [sp, #160]\n"
	"	add	sp, sp, #176\n"
	"	eret\n");
extern char vectors[];
static uint64_t firmwares;

/* To the next instruction; or, where that loads exclusively, to the end of its loop, which would
 * never come to it if each of its instructions were interrupted. */
static __attribute__((target("general-regs-only"))) void step_on(void)
{
	const uint32_t *next = (const uint32_t *)READ(elr_el1);
	uint64_t spsr = READ(spsr_el1) & ~(SPSR_D | SPSR_SS);

	if ((*next & 0xbffffc00) == 0x885f7c00) { /* LDXR */
		while ((*next & 0xbfe0fc00) != 0x88007c00) /* STXR, and its CBNZ */
			next++;
		WRITE(dbgbvr0_el1, next + 2);
		WRITE(dbgbcr0_el1, BCR_EL1);
		WRITE(mdscr_el1, MDSCR_KDE | MDSCR_MDE);
	} else {
		WRITE(mdscr_el1, MDSCR_KDE | MDSCR_SS);
		spsr |= SPSR_SS;
	}
	WRITE(spsr_el1, spsr);
}

__attribute__((used, target("general-regs-only"))) void handle(void)
{
	uint64_t esr = READ(esr_el1), ec = esr >> 26;

	if (ec != EC_BRK && ec != EC_STEP && ec != EC_BREAKPOINT)
		for (;;) /* told by the test's patience */
			;
	WRITE(dbgbcr0_el1, 0);
	if (ec == EC_BRK)
		WRITE(elr_el1, READ(elr_el1) + 4);
	else
		mark_step();
	if (ec == EC_BRK && (esr & 0xffff) == 2) {
		WRITE(mdscr_el1, 0);
		WRITE(spsr_el1, READ(spsr_el1) & ~SPSR_SS);
	} else {
		step_on();
	}
}

static void handler_make(void)
{
	firmwares = READ(vbar_el1);
}

static void handler_on(void)
{
	WRITE(oslar_el1, 0);
	WRITE(vbar_el1, vectors);
}

static void handler_off(void)
{
	WRITE(vbar_el1, firmwares);
}

#endif

static unsigned made[4];

static int mark_and_step(void *unused)
{
	(void)unused;
	handler_on();
	for (turn = 0; turn < TURNS; turn++) {
		instructions = 0;
		STEP_ON();
		bareperf_mark("turn %u", turn);
		STEP_OFF();
	}
	handler_off();
	made[bareperf_cpu()] = steps;
	return 0;
}

int main(void)
{
	handler_make();
	for (int cpu = 1; cpu < 4; cpu++)
		bareperf_thread_start(cpu, mark_and_step, NULL);
	mark_and_step(NULL);
	for (int cpu = 1; cpu < 4; cpu++)
		bareperf_thread_join(cpu, NULL);
	printf("steps %u %u %u %u\n", made[0], made[1], made[2], made[3]);
	return 0;
}
"""
