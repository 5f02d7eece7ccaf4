/* SPDX-License-Identifier: MIT */
/*
 * Control bits that change what is counted or trapped: PERFEVTSEL's E, PC and AnyThread (SDM volume
 * 3B, "Architectural Performance Monitoring Version 1"), DEBUGCTL.BTF ("Single-Stepping on
 * Branches"); and traps in the middle of what is counted.
 */
#include "x86.h"

#define EVTSEL_PC  0x80000u
#define EVTSEL_ANY 0x200000u
#define CMASK(n)   ((uint32_t)(n) << 24)
#define INV        (1u << 23)
#define TURNS      100

static void loop(void)
{
	__asm__ volatile("pushl	%0\n\tcall	traced\n\taddl	$4, %%esp"
	                 :
	                 : "i"(TURNS)
	                 : "eax", "ecx", "edx", "cc", "memory");
}

/* The begins of adjacent taken branches: the calls of loop() and traced(), the loop's first call,
 * each jump back (a call and its return follow directly), the returns of both */
#define ROWS (2 + 1 + (TURNS - 1) + 2)

static void test_edges(void)
{
	uint64_t ends;

	tap_equal(count_of(0x20c4 | EVTSEL_EDGE, loop), ROWS,
	          "E: of branches taken in a row only the first counts");
	tap_equal(count_of(0xc0 | EVTSEL_EDGE, loop), 1,
	          "... instructions follow each other without a gap");
	tap_equal(count_of(0xc0 | EVTSEL_EDGE | CMASK(2), loop), 0,
	          "... with CMASK 2: never two in a cycle");
	ends = count_of(0x20c4 | EVTSEL_EDGE | CMASK(1) | INV, loop);
	/* The compiler puts other instructions before the call, so it is not adjacent to a branch.
	 * */
	tap_claim(ends == ROWS || ends == ROWS + 1, "... with INV: where such rows end");
	wrmsr(IA32_PMC0, (uint32_t)-10);
	wrmsr(IA32_PERFEVTSEL0, 0x20c4 | EVTSEL_EDGE | EVTSEL_OS_EN | EVTSEL_INT);
	LVTPC = PMI_VECTOR;
	wrmsr(IA32_PERF_GLOBAL_CTRL, 1);
	traced(TURNS);
	wrmsr(IA32_PERF_GLOBAL_CTRL, 0);
	tap_equal(pmis, 1, "... the tenth edge overflows and interrupts");
	quiesce();
}

static void test_bits_without_effect(void)
{
	uint64_t all = count_of(0xc0, loop);

	tap_equal(count_of(0xc0 | EVTSEL_PC, loop), all, "PC: there are no pins to toggle");
	if (version == 3 || version == 4)
		tap_equal(count_of(0xc0 | EVTSEL_ANY, loop), all,
		          "AnyThread: a core has one thread");
	quiesce();
}

/* Notes of the #DB handler */
static void step(uint64_t debugctl)
{
	dbs = 0;
	wrmsr(IA32_DEBUGCTL, debugctl);
	stepped();
	wrmsr(IA32_DEBUGCTL, 0);
}

static void test_branch_steps(void)
{
	step(0);
	tap_claim(dbs == 1 && db_eip == (uint32_t)stepped_one, "TF traps after one instruction");
	step(DEBUGCTL_BTF);
	tap_claim(dbs == 1 && db_eip == (uint32_t)stepped_branch,
	          "... with BTF after a branch that is taken, not one that is not, nor REP");
	tap_equal(db_debugctl, 0, "... whose handler finds BTF cleared");
	step(DEBUGCTL_BTF | DEBUGCTL_LBR);
	tap_claim(dbs == 1 && db_eip == (uint32_t)stepped_branch, "... with LBR, too");
	wrmsr(IA32_DEBUGCTL, DEBUGCTL_BTF);
	traced(TURNS);
	wrmsr(IA32_DEBUGCTL, 0);
	step(0);
	tap_claim(dbs == 1 && db_eip == (uint32_t)stepped_one,
	          "... and of branches that were not stepped nothing is left");
	quiesce();
}

/* ---- INTO, and INT n of the same length in instructions; what follows is in one block */

#define OVERFLOWN "movb $127, %%al\n\taddb $1, %%al\n\t"

static void into(void)
{
	__asm__ volatile(OVERFLOWN "into\n\tnop\n\tnop\n\tnop" : : : "eax", "cc", "memory");
}

static void int_n(void)
{
	__asm__ volatile(OVERFLOWN "int %0\n\tnop\n\tnop\n\tnop"
	                 :
	                 : "i"(EMPTY_VECTOR)
	                 : "eax", "cc", "memory");
}

static void test_traps(void)
{
	tap_equal(count_of(0xc0, into), count_of(0xc0, int_n),
	          "INTO retires as INT n does, and what follows it retires once");
	tap_equal(count_of(0x40c4, into), 2, "... a far branch, and its handler's IRET");
	quiesce();
}

void test_control(void)
{
	test_edges();
	test_bits_without_effect();
	test_branch_steps();
	test_traps();
}
