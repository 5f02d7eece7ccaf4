/* SPDX-License-Identifier: MIT */
/*
 * INIT restarts a processor and keeps its MSRs (SDM volume 3A, "Initialization Overview"): tested
 * on the second processor, if the machine has one.
 */
#include "x86.h"

#define CMOS_INDEX     0x70
#define CMOS_DATA      0x71
#define CMOS_OTHERS    0x5f /* QEMU's CMOS register: number of processors besides the first */
#define LAPIC_ICR      (*(volatile uint32_t *)0xfee00300)
#define ICR_PENDING    0x1000u
#define OTHERS_INIT    0xc4500u
#define OTHERS_STARTUP (0xc4600u | AP_START >> 12)

extern const char ap_start[], ap_end[];

static volatile uint32_t *ap_word(unsigned offset)
{
	return (volatile uint32_t *)(AP_START + offset);
}

static uint8_t others(void)
{
	outb(CMOS_INDEX, CMOS_OTHERS);
	return inb(CMOS_DATA);
}

static void send(uint32_t command)
{
	LAPIC_ICR = command;
	while (LAPIC_ICR & ICR_PENDING)
		;
}

/* The value that the second processor found in PMC1 */
static uint32_t start_other(void)
{
	uint32_t runs = *ap_word(AP_RUNS);

	send(OTHERS_INIT);
	send(OTHERS_STARTUP);
	while (*ap_word(AP_RUNS) == runs)
		__asm__ volatile("pause");
	return *ap_word(AP_FOUND);
}

void test_init(void)
{
	volatile char *to = (volatile char *)AP_START;

	if (!others())
		return;
	for (const char *from = ap_start; from < ap_end; from++)
		*to++ = *from;
	*ap_word(AP_RUNS) = 0;
	start_other();
	tap_equal(start_other(), AP_VALUE, "INIT leaves a counter as it was");
}
