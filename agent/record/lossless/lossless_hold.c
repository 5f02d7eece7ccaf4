/* SPDX-License-Identifier: MIT */
#include "agent/record/lossless/lossless_hold.h"

#include "arch/arch.h"

/* Only its own CPU accesses it. held: the thread is in a section. wanted: a handler wants to stall
 * after it. */
static struct {
	bool held, wanted;
} holds[ARCH_MAX_CPUS];

/* The fences keep the program's order, as this CPU's handlers see it. */
void lossless_hold(void)
{
	__atomic_store_n(&holds[arch_cpu()].held, true, __ATOMIC_RELAXED);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
}

void lossless_release(void)
{
	unsigned cpu = arch_cpu();

	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	__atomic_store_n(&holds[cpu].held, false, __ATOMIC_RELAXED);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	if (!__atomic_load_n(&holds[cpu].wanted, __ATOMIC_RELAXED))
		return;
	__atomic_store_n(&holds[cpu].wanted, false, __ATOMIC_RELAXED);
	arch_cpu_signal(cpu);
}

bool lossless_hold_defers(unsigned cpu)
{
	if (!__atomic_load_n(&holds[cpu].held, __ATOMIC_RELAXED))
		return false;
	__atomic_store_n(&holds[cpu].wanted, true, __ATOMIC_RELAXED);
	return true;
}
