/* SPDX-License-Identifier: MIT */
#include "pmu/clock/clock_freeze.h"

#include "arch/arch.h"
#include "pmu/clock/clock.h"

static struct {
	uint32_t lock;         /* held in handlers for a bounded time */
	unsigned cpus;         /* the clock freezes when this many CPUs stall */
	unsigned stalled;      /* CPUs that stall now */
	uint64_t latest, gone; /* when the last CPU stalled; when the first one continued */
	uint64_t sum;          /* cycles for which the clock was frozen */
} freeze;

static uint64_t freeze_cycles(unsigned cpu)
{
	return arch_cycles() + (uint64_t)clock_offsets[cpu];
}

static void freeze_lock(void)
{
	while (arch_exchange(&freeze.lock, 1))
		arch_relax();
}

static void freeze_unlock(void)
{
	__atomic_store_n(&freeze.lock, 0, __ATOMIC_RELEASE);
}

void clock_freeze_begin(unsigned cpus)
{
	freeze.cpus = cpus;
	freeze.stalled = 0;
	freeze.latest = freeze.gone = 0;
}

void clock_freeze_begin_cpu(unsigned cpu)
{
	freeze_lock();
	__atomic_store_n(&clock_frozen[cpu], freeze.sum, __ATOMIC_RELAXED);
	freeze_unlock();
}

void clock_freeze_stall(unsigned cpu)
{
	uint64_t now = freeze_cycles(cpu);

	freeze_lock();
	freeze.stalled++;
	if ((int64_t)(now - freeze.latest) > 0)
		freeze.latest = now;
	freeze_unlock();
}

uint64_t clock_freeze_go(unsigned cpu)
{
	uint64_t old = __atomic_load_n(&clock_frozen[cpu], __ATOMIC_RELAXED), now, gone, sum;

	freeze_lock();
	now = freeze_cycles(cpu);
	if (freeze.stalled-- == freeze.cpus && (int64_t)(now - freeze.latest) > 0) {
		freeze.sum += now - freeze.latest;
		freeze.gone = now;
	}
	gone = freeze.gone;
	sum = freeze.sum;
	freeze_unlock();
	while (sum != old && (int64_t)(freeze_cycles(cpu) - gone) < 0)
		arch_relax();
	__atomic_store_n(&clock_frozen[cpu], sum, __ATOMIC_RELAXED);
	return sum - old;
}
