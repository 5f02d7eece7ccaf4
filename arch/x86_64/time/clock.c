/* SPDX-License-Identifier: MIT */
/*
 * The frequency of the time-stamp counter: reported by CPUID, or else measured against a timer of
 * known frequency for WINDOW_MS. The local APIC's timer is measured in the same window.
 */
#include "arch/x86_64/time/clock.h"

#include <errno.h>

#include "abi/trace_region.h"
#include "arch/x86_64/cpu.h"
#include "arch/x86_64/hypervisor.h"
#include "arch/x86_64/interrupt/apic.h"
#include "arch/x86_64/mode.h"
#include "arch/x86_64/platform.h"
#include "arch/x86_64/registers.h"
#include "arch/x86_64/time/hpet.h"

#define WINDOW_MS   10U
#define MAX_CYCLES  200000000U /* TSC cycles of a window: 20 ms at 10 GHz */
#define STUCK_READS 2000U      /* reads without a change: the reference does not run */
#define BEST_OF     8          /* number of readings, of which the quickest is used */
#define PM_TIMER_HZ 3579545U

/* A counter that increases by frequency per second. */
struct reference {
	uint32_t (*read)(void);
	uint64_t frequency;
	uint32_t mask;
	uint16_t source;
};

/* All three clocks, read as close together as possible. */
struct reading {
	uint64_t tsc;
	uint32_t reference;
	uint32_t apic; /* counts down */
};

static uint32_t clock_read_pm_timer(void)
{
	if (x86_platform->pm_timer_space == 1)
		return inl((uint16_t)x86_platform->pm_timer);
	return *(volatile uint32_t *)x86_platform->pm_timer;
}

static uint32_t clock_read_hpet(void)
{
	return hpet_read(HPET_COUNTER);
}

static bool clock_find_pm_timer(struct reference *reference)
{
	if (x86_platform->pm_timer == 0)
		return false;
	*reference = (struct reference){ clock_read_pm_timer, PM_TIMER_HZ,
		                         x86_platform->pm_timer_bits == 32 ? UINT32_MAX : 0xffffff,
		                         TR_CLOCK_PM_TIMER };
	return true;
}

static bool hpet_started; /* bareperf started it */

void clock_give_back(void)
{
	if (!hpet_started)
		return;
	hpet_write(HPET_CONFIG, hpet_read(HPET_CONFIG) & ~HPET_RUNS);
	hpet_started = false;
}

static bool clock_find_hpet(struct reference *reference)
{
	uint64_t rate = hpet_rate();

	if (rate == 0)
		return false;
	hpet_started |= hpet_start();
	*reference = (struct reference){ clock_read_hpet, rate, UINT32_MAX, TR_CLOCK_HPET };
	return true;
}

/* Take the reading with the shortest duration: nothing interrupted it. */
static struct reading clock_take_reading(const struct reference *reference)
{
	struct reading best = { 0 };
	uint64_t least = UINT64_MAX;

	for (int i = 0; i < BEST_OF; i++) {
		uint64_t before = arch_cycles();
		uint32_t count = reference->read();
		uint32_t apic = apic_read(APIC_TIMER_CURRENT);
		uint64_t after = arch_cycles();

		if (after - before < least) {
			least = after - before;
			best = (struct reading){ before + least / 2, count, apic };
		}
	}
	return best;
}

/*
 * Wait for the window's end. Returns false if the reference does not run, or takes too long. The
 * TSC is read first: if a hypervisor suspends the CPU between the two reads, the window is found to
 * be over.
 */
static bool clock_wait_window(const struct reference *reference, uint32_t start)
{
	uint32_t window = (uint32_t)(reference->frequency * WINDOW_MS / 1000);
	uint64_t began = arch_cycles(), passed;
	uint32_t last = start;
	unsigned unchanged = 0;

	do {
		uint32_t now;

		passed = arch_cycles() - began;
		now = reference->read();
		if (((now - start) & reference->mask) >= window)
			return true;
		unchanged = now == last ? unchanged + 1 : 0;
		last = now;
		arch_relax();
	} while (unchanged < STUCK_READS && passed < MAX_CYCLES);
	return false;
}

static void clock_count_down(uint32_t from)
{
	if (x86_mode->shares_apic_timer)
		return;
	apic_write(APIC_TIMER_DIVIDE, APIC_DIVIDE_BY_1);
	apic_write(APIC_LVT_TIMER, APIC_LVT_MASKED);
	apic_write(APIC_TIMER_INITIAL, from);
}

static int clock_measure(const struct reference *reference, struct clock_rates *rates)
{
	uint64_t interrupts = arch_irq_save(), ticks;
	struct reading start, end = { 0 };
	bool measured;

	clock_count_down(UINT32_MAX);
	start = clock_take_reading(reference);
	measured = clock_wait_window(reference, start.reference);
	if (measured)
		end = clock_take_reading(reference);
	clock_count_down(0);
	arch_irq_restore(interrupts);
	if (!measured)
		return -ENODEV;
	ticks = (end.reference - start.reference) & reference->mask;
	rates->tsc = (end.tsc - start.tsc) * reference->frequency / ticks;
	rates->apic = (uint64_t)(start.apic - end.apic) * reference->frequency / ticks;
	rates->source = reference->source;
	return rates->tsc == 0 ? -ENODEV : 0;
}

static bool clock_ask_cpuid(struct clock_rates *rates)
{
	uint32_t leaves = cpuid(0, 0).eax;
	struct cpuid none = { 0 };

	if (leaves < 0x15)
		return false;
	return clock_rates_by_cpuid(cpuid(0x15, 0), leaves >= 0x16 ? cpuid(0x16, 0) : none, rates);
}

int clock_find_rates(struct clock_rates *rates)
{
	struct reference reference;

	if (hypervisor_rates(&hypervisor_cpu, rates) || clock_ask_cpuid(rates))
		return 0;
	if (clock_find_pm_timer(&reference) && clock_measure(&reference, rates) == 0)
		return 0;
	if (clock_find_hpet(&reference) && clock_measure(&reference, rates) == 0)
		return 0;
	return -ENODEV;
}
