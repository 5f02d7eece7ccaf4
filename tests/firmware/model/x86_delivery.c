/* SPDX-License-Identifier: MIT */
/*
 * The ways in which a PMI can come: SDM volume 3A, "Local Vector Table" (the performance counters'
 * entry knows fixed, SMI and NMI).
 */
#include "x86.h"

#define HOST_BRIDGE_SMRAM 0x9c /* q35: the byte 9DH of device 0:0.0 */
#define SMRAM_D_OPEN      0x40u
#define SMRAM             ((volatile uint8_t *)0xa0000)
#define SMI_ENTRY         0x8000
#define SMI_COUNT         0x9000

/* Real mode, CS = SMBASE: incl %cs:SMI_COUNT; rsm */
static const uint8_t smi_handler[] = { 0x2e, 0x66, 0xff, 0x06, 0x00, 0x90, 0x0f, 0xaa };
static uint8_t saved[sizeof(smi_handler)];

static void outl(uint16_t port, uint32_t value)
{
	__asm__ volatile("outl %0, %1" : : "a"(value), "Nd"(port));
}

static uint8_t smram_control(void)
{
	outl(0xcf8, 0x80000000u | HOST_BRIDGE_SMRAM);
	return inb(0xcfd);
}

static void set_smram_control(uint8_t value)
{
	outl(0xcf8, 0x80000000u | HOST_BRIDGE_SMRAM);
	outb(0xcfd, value);
}

/* Exchange the firmware's SMI handler with ours. */
static void install_smi_handler(void)
{
	uint8_t control = smram_control();

	set_smram_control(control | SMRAM_D_OPEN);
	for (unsigned i = 0; i < sizeof(smi_handler); i++) {
		saved[i] = SMRAM[SMI_ENTRY + i];
		SMRAM[SMI_ENTRY + i] = smi_handler[i];
	}
	*(volatile uint32_t *)(SMRAM + SMI_COUNT) = 0;
	set_smram_control(control);
}

/* Returns how often ours ran */
static uint32_t remove_smi_handler(void)
{
	uint8_t control = smram_control();
	uint32_t count;

	set_smram_control(control | SMRAM_D_OPEN);
	for (unsigned i = 0; i < sizeof(smi_handler); i++)
		SMRAM[SMI_ENTRY + i] = saved[i];
	count = *(volatile uint32_t *)(SMRAM + SMI_COUNT);
	set_smram_control(control);
	return count;
}

/* Let a counter overflow with this LVT entry */
static void overflow_into(uint32_t lvt)
{
	wrmsr(IA32_PMC0, (uint32_t)-100);
	wrmsr(IA32_PERFEVTSEL0, 0xc0 | EVTSEL_OS_EN | EVTSEL_INT);
	LVTPC = lvt;
	wrmsr(IA32_PERF_GLOBAL_CTRL, 1);
	traced(1000);
	wrmsr(IA32_PERF_GLOBAL_CTRL, 0);
}

static void check(uint32_t fixed, uint32_t nmi, bool delivered, const char *what)
{
	tap_claim(pmis == fixed && nmis == nmi && rdmsr(IA32_PERF_GLOBAL_STATUS) == 1, what);
	tap_claim(!delivered || LVTPC & LVT_MASKED, "... and masks its entry");
	quiesce();
}

void test_delivery(void)
{
	overflow_into(PMI_VECTOR);
	check(1, 0, true, "a PMI delivered as fixed comes with its vector");
	overflow_into(LVT_NMI);
	check(0, 1, true, "... as NMI, with vector 2");
	__asm__ volatile("cli");
	overflow_into(LVT_NMI);
	check(0, 1, true, "... with interrupts masked, too");
	overflow_into(PMI_VECTOR);
	tap_equal(pmis, 0, "... while a fixed one waits for them");
	__asm__ volatile("sti; nop");
	check(1, 0, true, "... and then comes");
	install_smi_handler();
	overflow_into(LVT_SMI);
	tap_equal(remove_smi_handler(), 1, "... as SMI, in system management mode");
	check(0, 0, true, "... unseen outside it");
	overflow_into(LVT_MASKED | PMI_VECTOR);
	check(0, 0, false, "a masked entry delivers nothing, and the status is set all the same");
}
