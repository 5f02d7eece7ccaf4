/* SPDX-License-Identifier: MIT */
#include "pmu/x86/x86_tick.h"

#include <errno.h>

#include "pmu/clock/clock.h"
#include "pmu/tick.h"
#include "pmu/x86/x86_assignment.h"

/* The event of the counter that replaces the timer. It takes no samples: its overflows only run the
 * timer's handler. The handler of all counters programs it again, with a short distance. */
static struct perf_event ticker;
static bool ticks;

/* Claims the last possible counter, because fixed counters serve few other events. It stays there:
 * it is no candidate for any other. */
static int x86_tick_claim(uint64_t counters)
{
	for (unsigned counter = X86_COUNTERS; counter-- > 0;)
		if (counters >> counter & 1 && !x86_counters_claim(&ticker, 1ULL << counter))
			return 0;
	return -EAGAIN;
}

int x86_tick_begin(unsigned cpu, const struct x86_monitor *monitor)
{
	if (!arch_timer_lacks())
		return 0;
	ticker = (struct perf_event){ .cpu = cpu, .sampling.next = UINT64_MAX };
	x86_counter_of(&ticker)->select = monitor->cycles | PERFEVTSEL_OS | PERFEVTSEL_USR;
	if (x86_tick_claim(monitor->cycle_counters))
		return -EAGAIN;
	x86_counter_of(&ticker)->farthest = clock_span_to_cycles(&machine_clock, TICK_NS) / 2;
	x86_counters_start(&ticker);
	ticks = true;
	return 0;
}

uint64_t x86_tick_counter(void)
{
	return ticks ? 1ULL << x86_counter_of(&ticker)->counter : 0;
}

void x86_tick_end(void)
{
	if (!ticks)
		return;
	x86_counters_stop(&ticker);
	x86_counters_del(&ticker);
	ticks = false;
}
