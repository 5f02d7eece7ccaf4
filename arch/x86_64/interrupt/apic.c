/* SPDX-License-Identifier: MIT */
/* SDM volume 3A, chapter 11. */
#include "arch/x86_64/interrupt/apic.h"

#include "arch/x86_64/cpu.h"
#include "arch/x86_64/interrupt/interrupts.h"
#include "arch/x86_64/registers.h"

/* Registers that a take-over changes, in the order of their restore: the divider and the timer's
 * mode before its count. A register exists if the APIC has at least this many LVT entries. */
static const struct {
	uint16_t offset;
	uint8_t least_lvt; /* "Max LVT Entry" of the version register + 1; 11.4.8 */
	bool local_source; /* masked while bareperf has the CPU */
} registers[] = {
	{ APIC_TPR, 0, false },           { APIC_TIMER_DIVIDE, 0, false },
	{ APIC_LVT_TIMER, 0, true },      { APIC_LVT_LINT0, 0, true },
	{ APIC_LVT_ERROR, 0, true },      { APIC_LVT_PMI, 5, true },
	{ APIC_LVT_THERMAL, 6, true },    { APIC_LVT_CMCI, 7, true },
	{ APIC_TIMER_INITIAL, 0, false }, { APIC_SVR, 0, false },
};
#define NR_REGISTERS (sizeof(registers) / sizeof(registers[0]))

_Static_assert(NR_REGISTERS == APIC_SAVED, "apic.h");

static bool x2apic;
static uint64_t mmio;
volatile uint32_t *x86_lvt_pmi;
_Static_assert(X86_LVT_PMI_MSR == IA32_X2APIC_FIRST + APIC_LVT_PMI / 0x10 &&
                   X86_LVT_PMI_NMI == APIC_LVT_NMI,
               "arch_inline.h");

uint64_t apic_address(void)
{
	return rdmsr(IA32_APIC_BASE) & IA32_APIC_BASE_ADDR;
}

uint32_t apic_read(unsigned offset)
{
	if (x2apic)
		return (uint32_t)rdmsr(IA32_X2APIC_FIRST + offset / 0x10);
	return *(volatile uint32_t *)(mmio + offset);
}

void apic_write(unsigned offset, uint32_t value)
{
	if (x2apic)
		wrmsr(IA32_X2APIC_FIRST + offset / 0x10, value);
	else
		*(volatile uint32_t *)(mmio + offset) = value;
}

uint32_t apic_id(void)
{
	return x2apic ? apic_read(APIC_ID) : apic_read(APIC_ID) >> 24;
}

void apic_eoi(void)
{
	apic_write(APIC_EOI, 0);
}

bool apic_in_service(unsigned vector)
{
	return apic_read(APIC_ISR + vector / 32 * 0x10) >> (vector % 32) & 1;
}

bool apic_by_level(unsigned vector)
{
	return apic_read(APIC_TMR + vector / 32 * 0x10) >> (vector % 32) & 1;
}

static unsigned apic_lvt_entries(void)
{
	return (apic_read(APIC_VERSION) >> 16 & 0xff) + 1;
}

void apic_discover(void)
{
	uint64_t base = rdmsr(IA32_APIC_BASE);

	x2apic = base & IA32_APIC_BASE_EXTD;
	mmio = apic_address();
	x86_lvt_pmi = x2apic ? NULL : (volatile uint32_t *)(mmio + APIC_LVT_PMI);
}

bool apic_is_same(void)
{
	uint64_t base = rdmsr(IA32_APIC_BASE);

	return !!(base & IA32_APIC_BASE_EXTD) == x2apic && (x2apic || apic_address() == mmio);
}

/* A one-shot count continues from its saved value; a periodic one starts a new period. */
static uint32_t apic_value(unsigned offset)
{
	uint32_t mode = apic_read(APIC_LVT_TIMER) & APIC_LVT_TIMER_MODE;

	return apic_read(offset == APIC_TIMER_INITIAL && mode == APIC_LVT_ONE_SHOT
	                     ? APIC_TIMER_CURRENT
	                     : offset);
}

static void apic_save(struct apic_saved *saved)
{
	unsigned lvts = apic_lvt_entries();

	for (unsigned i = 0; i < NR_REGISTERS; i++)
		if (lvts >= registers[i].least_lvt)
			saved->values[i] = apic_value(registers[i].offset);
	saved->tsc_deadline = 0;
	if ((apic_read(APIC_LVT_TIMER) & APIC_LVT_TIMER_MODE) == APIC_LVT_TSC_DEADLINE)
		saved->tsc_deadline = rdmsr(IA32_TSC_DEADLINE);
}

void apic_take_over(struct apic_saved *saved)
{
	unsigned lvts;

	saved->base_msr = rdmsr(IA32_APIC_BASE);
	if (!(saved->base_msr & IA32_APIC_BASE_EN))
		wrmsr(IA32_APIC_BASE, saved->base_msr | IA32_APIC_BASE_EN);
	apic_save(saved);
	lvts = apic_lvt_entries();
	for (unsigned i = 0; i < NR_REGISTERS; i++)
		if (registers[i].local_source && lvts >= registers[i].least_lvt)
			apic_write(registers[i].offset, saved->values[i] | APIC_LVT_MASKED);
	apic_write(APIC_TIMER_INITIAL, 0);
	apic_write(APIC_TPR, 0);
	apic_write(APIC_SVR, APIC_SVR_ENABLE | VECTOR_SPURIOUS);
}

void apic_init_cpu(void)
{
	uint64_t base = rdmsr(IA32_APIC_BASE) | IA32_APIC_BASE_EN;
	unsigned lvts;

	wrmsr(IA32_APIC_BASE, base);
	if (x2apic)
		wrmsr(IA32_APIC_BASE, base | IA32_APIC_BASE_EXTD);
	lvts = apic_lvt_entries();
	for (unsigned i = 0; i < NR_REGISTERS; i++)
		if (registers[i].local_source && lvts >= registers[i].least_lvt)
			apic_write(registers[i].offset, APIC_LVT_MASKED);
	apic_write(APIC_TPR, 0);
	apic_write(APIC_SVR, APIC_SVR_ENABLE | VECTOR_SPURIOUS);
}

bool apic_reaches(uint32_t id)
{
	return x2apic || id < 0xff;
}

void apic_sent(void)
{
	for (int i = 0; !x2apic && i < 10000 && apic_read(APIC_ICR) & APIC_ICR_PENDING; i++)
		arch_relax();
}

/*
 * xAPIC's command register has two halves, and writing the low one sends. A nested sender restores
 * the high half that it found, so it may interrupt between the two writes. The busy bit clears in
 * well under a microsecond; the wait for it is bounded all the same.
 */
void apic_send(uint32_t id, uint32_t command)
{
	uint32_t high;

	arch_fence(); /* the interrupted CPU sees everything stored before: 11.12.3 */
	if (x2apic) {
		wrmsr(IA32_X2APIC_FIRST + APIC_ICR / 0x10, (uint64_t)id << 32 | command);
		return;
	}
	apic_sent();
	high = apic_read(APIC_ICR_HIGH);
	apic_write(APIC_ICR_HIGH, id << 24);
	apic_write(APIC_ICR, command);
	apic_write(APIC_ICR_HIGH, high);
}

void apic_give_back(const struct apic_saved *saved)
{
	unsigned lvts = apic_lvt_entries();

	for (unsigned i = 0; i < NR_REGISTERS; i++)
		if (lvts >= registers[i].least_lvt)
			apic_write(registers[i].offset, saved->values[i]);
	arch_fence(); /* 11.5.4.1: the mode must be set before the MSR is written */
	if (saved->tsc_deadline)
		wrmsr(IA32_TSC_DEADLINE, saved->tsc_deadline);
	if (!(saved->base_msr & IA32_APIC_BASE_EN))
		wrmsr(IA32_APIC_BASE, saved->base_msr);
}
