/* SPDX-License-Identifier: MIT */
/*
 * A PMI that is delayed by time (pmi-delay), and a reset that comes before it: after the reset no
 * earlier interrupt arrives. A word of memory survives the reset.
 */
#include "x86.h"

#define SECOND_LIFE   (*(volatile uint32_t *)0x3f00000)
#define MAGIC         0x5ec02dd1u
#define RESET_CONTROL 0xcf9
#define RESET_SYSTEM  0x06
#define DIVIDE_BY_128 10
#define WAIT          93750000 /* 12 s */

/* Wait longer than the PMI's delay; the timer's interrupt ends the wait. */
static void wait(void)
{
	LAPIC_DIVIDE = DIVIDE_BY_128;
	LAPIC_TIMER = EMPTY_VECTOR;
	__asm__ volatile("cli");
	LAPIC_INITIAL_COUNT = WAIT;
	do
		__asm__ volatile("sti\n\thlt\n\tcli" : : : "memory");
	while (*(volatile uint32_t *)0xfee00390); /* current count */
	LAPIC_EOI = 0;
	LAPIC_TIMER = LVT_MASKED;
	__asm__ volatile("sti");
}

static void test_after_reset(void)
{
	SECOND_LIFE = 0;
	LVTPC = PMI_VECTOR;
	wait();
	tap_equal(pmis, 0, "a PMI that is delayed does not come after a reset");
	overflow_soon(0);
	tap_equal(pmis, 0, "one that no reset meets comes late");
	wait();
	tap_equal(pmis, 1, "... and comes");
	quiesce();
	tap_end();
}

/* Only if PMIs are delayed: resets the machine, and checks the result in the next boot. */
void test_delay(void)
{
	if (SECOND_LIFE == MAGIC)
		test_after_reset();
	overflow_soon(0);
	if (!pmis) {
		SECOND_LIFE = MAGIC;
		outb(RESET_CONTROL, RESET_SYSTEM);
		for (;;)
			__asm__ volatile("hlt");
	}
	quiesce();
}
