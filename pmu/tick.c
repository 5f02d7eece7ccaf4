/* SPDX-License-Identifier: MIT */
#include "pmu/tick.h"

#include "pmu/clock/clock.h"

static void tick_expire(struct timer *timer, const struct arch_regs *regs, uint64_t now)
{
	struct tick *tick = (struct tick *)((char *)timer - offsetof(struct tick, timer));
	uint64_t cycles;

	tick->work(tick, regs);
	timer_restart(timer, now + tick->interval);
	cycles = arch_cycles() - now;
	tick->count++;
	tick->cycles += cycles;
	if (cycles > tick->longest)
		tick->longest = cycles;
}

void tick_start(struct tick *tick, void (*work)(struct tick *tick, const struct arch_regs *regs))
{
	*tick = (struct tick){
		.timer.expire = tick_expire,
		.interval = clock_span_to_cycles(&machine_clock, TICK_NS),
		.work = work,
	};
	timer_start(&tick->timer, arch_cycles() + tick->interval);
}

void tick_stop(struct tick *tick)
{
	timer_cancel(&tick->timer);
}
