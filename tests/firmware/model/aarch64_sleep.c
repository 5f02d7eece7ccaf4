/* SPDX-License-Identifier: MIT */
/*
 * With an interrupt controller: sampled instructions that sleep, and PSB CSYNC while SPE's
 * interrupt is enabled.
 */
#include "aarch64.h"

#define GICD_CTLR       (*(volatile uint32_t *)0x08000000)
#define GICR_WAKER      (*(volatile uint32_t *)0x080a0014)
#define GICR_IGROUPR0   (*(volatile uint32_t *)0x080b0080)
#define GICR_ISENABLER0 (*(volatile uint32_t *)0x080b0100)
#define ICC_PMR_EL1     "s3_0_c4_c6_0"
#define ICC_IGRPEN1_EL1 "s3_0_c12_c12_7"
#define ENABLE_GROUP_1  0x12 /* and affinity routing */
#define PPI_SPE         21
#define PPI_TIMER       27
#define TICKS           625 /* 10 us */
#define TURNS           2560
/* Two records more than fit in a page */
#define PAGE_AND_TWO    3390

extern const char sleeping[];

/* The interrupts are never taken, but they end WFI, and QEMU delivers them only if they are
 * enabled. */
void enable_interrupts(void)
{
	GICD_CTLR = ENABLE_GROUP_1;
	GICR_WAKER &= ~2u;
	while (GICR_WAKER & 4)
		;
	GICR_IGROUPR0 = ~0u;
	GICR_ISENABLER0 = 1u << PPI_SPE | 1u << PPI_TIMER;
	write_sysreg(ICC_PMR_EL1, 0xff);
	write_sysreg(ICC_IGRPEN1_EL1, 1);
}

static void sleep_often(uint64_t turns)
{
	__asm__ volatile(
	    "1:\n\t"
	    "msr	cntv_tval_el0, %1\n\t"
	    "isb\n\t"
	    ".globl	sleeping\n"
	    "sleeping:\n\t"
	    "wfi\n\t"
	    "subs	%0, %0, #1\n\t"
	    "b.ne	1b"
	    : "+r"(turns)
	    : "r"((uint64_t)TICKS)
	    : "cc", "memory");
}

void test_sleep(void)
{
	unsigned records = 0, good = 0;

	sample(0);
	arm_buffer(PAGES, 0);
	write_sysreg("cntv_ctl_el0", 1);
	sample(PMSCR_SAMPLE);
	sleep_often(TURNS);
	sample(0);
	write_sysreg("cntv_ctl_el0", 0);
	stop();
	for (uint64_t at = 0; at < used(); at += RECORD) {
		const uint8_t *r = buffer + at;

		if (record_pc(r) != (uint32_t)(uint64_t)sleeping)
			continue;
		records++;
		good += r[9] == PACKET_EVENTS && (r[10] & 3) == EVENT_RETIRED;
	}
	tap_claim(records >= 9 && records <= 11, "a fifth of a loop's samples are its WFI");
	tap_equal(good, records, "... each of them retired, without an exception");
}

void test_synchronised_limit(void)
{
	profile(1, 0, PMSCR_SAMPLE, PAGE_AND_TWO);
	synchronise();
	tap_equal(read_sysreg(PMBSR_EL1) & ~(uint64_t)PMBSR_DL, PMBSR_S | PMBSR_FULL,
	          "PSB CSYNC may meet the limit");
	tap_equal(used(), 4096, "... and writes what fits");
	tap_note("lost at the limit, as DL says", read_sysreg(PMBSR_EL1) / PMBSR_DL & 1);
	stop();
	write_sysreg(PMBSR_EL1, 0);
}
