/* SPDX-License-Identifier: MIT */
/* Last branch records: SDM volume 3B, "Last Branch, Interrupt, and Exception Recording". */
#include "x86.h"

#define SELECT_CPL_0      0x001u
#define SELECT_CPL_OTHERS 0x002u
#define SELECT_ONLY_CALLS 0x1f4u /* all kinds are filtered out, except near relative calls */
#define SELECT_CALL_STACK 0x3c4u /* near calls and returns, as call-stack mode requires */
#define SELECT_RESERVED   0x400u

static unsigned entries;

static void clear(void)
{
	for (unsigned i = 0; i < entries; i++) {
		wrmsr(MSR_LASTBRANCH_0_FROM + i, 0);
		wrmsr(MSR_LASTBRANCH_0_TO + i, 0);
	}
	wrmsr(MSR_LASTBRANCH_TOS, 0);
}

static void record(uint64_t select, unsigned (*run)(unsigned), unsigned turns)
{
	clear();
	wrmsr(MSR_LBR_SELECT, select);
	wrmsr(IA32_DEBUGCTL, DEBUGCTL_LBR);
	run(turns);
	wrmsr(IA32_DEBUGCTL, 0);
	wrmsr(MSR_LBR_SELECT, 0);
}

/* The n-th branch before the last one */
static uint32_t back(uint32_t base, unsigned n)
{
	unsigned tos = (unsigned)rdmsr(MSR_LASTBRANCH_TOS);

	return (uint32_t)rdmsr(base + (tos + entries - n) % entries);
}

static bool edge(unsigned n, const char *from, const char *to)
{
	return back(MSR_LASTBRANCH_0_FROM, n) == (uint32_t)from &&
	       (!to || back(MSR_LASTBRANCH_0_TO, n) == (uint32_t)to);
}

static unsigned recorded(void)
{
	unsigned n = 0;

	for (unsigned i = 0; i < entries; i++)
		n += rdmsr(MSR_LASTBRANCH_0_FROM + i) != 0;
	return n;
}

static void test_stack(void)
{
	record(0, traced, 2);
	tap_equal(recorded(), 7, "LBR: two turns are seven branches");
	tap_claim(edge(0, traced_return, (const char *)0) && edge(1, traced_leaf, traced_after) &&
	              edge(2, traced_loop, traced_leaf) && edge(3, traced_jump, traced_loop),
	          "... the newest at the top of the stack");
	record(0, traced, 100);
	tap_equal(recorded(), entries, "LBR: the stack is a circle of as many as the format says");
	tap_claim(edge(0, traced_return, (const char *)0) &&
	              edge(entries - 1,
	                   (entries - 1) % 3 == 1   ? traced_leaf
	                   : (entries - 1) % 3 == 2 ? traced_loop
	                                            : traced_jump,
	                   (const char *)0),
	          "... the oldest gone");
	tap_claim(wrmsr_faults(MSR_LASTBRANCH_TOS, entries),
	          "... TOS holds no more than its number");
	if (entries == 32)
		tap_equal(rdmsr(MSR_LBR_INFO_0), 0, "... LBR_INFO calls every branch predicted");
}

static void test_filters(void)
{
	record(SELECT_ONLY_CALLS, traced, 5);
	tap_equal(recorded(), 6, "LBR_SELECT: calls alone, five and the first");
	tap_claim(edge(0, traced_loop, traced_leaf), "... of the loop");
	record(SELECT_CPL_0, traced, 5);
	tap_equal(recorded(), 0, "LBR_SELECT: CPL_EQ_0 leaves ring 0 out");
	clear();
	wrmsr(MSR_LBR_SELECT, SELECT_CPL_0);
	wrmsr(IA32_DEBUGCTL, DEBUGCTL_LBR);
	in_ring_3(traced, 2);
	wrmsr(IA32_DEBUGCTL, 0);
	/* 8 branches: the way into ring 3, the call of traced(), three per turn except for the last
	 * turn's jump, and the return */
	tap_equal(recorded(), 8, "... so that ring 3 and the way into it remain");
	tap_claim(edge(1, traced_leaf, traced_after), "... with its own branches");
	clear();
	wrmsr(MSR_LBR_SELECT, SELECT_CPL_OTHERS);
	wrmsr(IA32_DEBUGCTL, DEBUGCTL_LBR);
	in_ring_3(traced, 2);
	wrmsr(IA32_DEBUGCTL, 0);
	tap_equal(back(MSR_LASTBRANCH_0_FROM, 1), (uint32_t)user_exit,
	          "LBR_SELECT: CPL_NEQ_0 leaves the interrupt out of ring 3, and what follows");
	wrmsr(MSR_LBR_SELECT, 0);
	tap_claim(wrmsr_faults(MSR_LBR_SELECT, SELECT_RESERVED),
	          "LBR_SELECT: reserved bits are #GP");
	record(SELECT_CALL_STACK, traced, 5);
	tap_equal(rdmsr(MSR_LASTBRANCH_TOS), 0,
	          "LBR_SELECT: as a call stack, returns take away calls");
}

static void test_freeze(void)
{
	uint64_t top;

	clear();
	overflow_soon(DEBUGCTL_LBR | DEBUGCTL_FREEZE_LBRS);
	top = rdmsr(MSR_LASTBRANCH_TOS);
	traced(1);
	tap_equal(rdmsr(MSR_LASTBRANCH_TOS), top, "LBR: frozen on PMI");
	if (version >= 4) {
		tap_equal(pmi_status, STATUS_LBR_FRZ | 1, "... by a status bit");
		tap_claim(rdmsr(IA32_DEBUGCTL) & DEBUGCTL_LBR, "... DEBUGCTL stays");
		wrmsr(IA32_PERF_GLOBAL_RESET, STATUS_LBR_FRZ | 1);
		traced(1);
		tap_claim(rdmsr(MSR_LASTBRANCH_TOS) != top, "... until the bit is cleared");
	} else {
		tap_claim(!(rdmsr(IA32_DEBUGCTL) & DEBUGCTL_LBR), "... by clearing DEBUGCTL.LBR");
		tap_equal(pmi_status, 1, "... and no status bit says so");
	}
	quiesce();
}

static void single_step(void)
{
	__asm__ volatile("pushf\n\torl $0x100, (%%esp)\n\tpopf\n\tnop" : : : "cc", "memory");
}

/* SDM, "Monitoring Branches, Exceptions, and Interrupts", "Single-Stepping on Branches": #DB
 * clears LBR and BTF before its handler runs. */
static void test_debug_exception(void)
{
	clear();
	db_debugctl = ~0ull;
	wrmsr(IA32_DEBUGCTL, DEBUGCTL_LBR);
	traced(2);
	single_step();
	tap_equal(db_debugctl, 0, "LBR: #DB clears DEBUGCTL.LBR before its handler");
	tap_equal(recorded(), 7, "... so that what was recorded stays, and nothing follows");
	tap_equal(rdmsr(IA32_DEBUGCTL), 0, "... nor does it come back");
	wrmsr(IA32_DEBUGCTL, DEBUGCTL_BTF | DEBUGCTL_BTINT);
	stepped();
	tap_equal(db_debugctl, DEBUGCTL_BTINT, "... and BTF, and nothing else");
	quiesce();
}

void test_last_branches(void)
{
	entries = last_branches;
	if (!entries)
		return;
	test_stack();
	test_filters();
	test_freeze();
	test_debug_exception();
	quiesce();
}
