/* SPDX-License-Identifier: MIT */
/*
 * The queue is a short list in the order of deadlines: a CPU has its tick and a
 * timer for each cpu-clock event.
 */
#include "pmu/timer.h"

static struct timer *queues[TR_MAX_CPUS];
uint64_t timer_interrupts[TR_MAX_CPUS];
static void (*timer_gate)(const struct arch_regs *regs);

static void timer_arm_first(struct timer *first)
{
	if (first)
		arch_timer_arm(first->deadline);
	else
		arch_timer_disarm();
}

static void timer_insert(struct timer *timer)
{
	struct timer **link = &queues[arch_cpu()];

	while (*link && (*link)->deadline <= timer->deadline)
		link = &(*link)->next;
	timer->next = *link;
	*link = timer;
}

/* A deadline that has passed when its interrupt handler ends would leave the interrupted program no
 * time. So the program runs for at least as long as the handler did. */
static void timer_arm_later(struct timer *first, uint64_t began)
{
	uint64_t ended = arch_cycles(), soonest = ended + (ended - began);

	if (first)
		arch_timer_arm(first->deadline > soonest ? first->deadline : soonest);
	else
		arch_timer_disarm();
}

static void timer_interrupt(const struct arch_regs *regs)
{
	unsigned cpu = arch_cpu();
	struct timer **queue = &queues[cpu];
	uint64_t now;

	timer_interrupts[cpu]++;
	if (__builtin_expect(!!timer_gate, 0))
		timer_gate(regs);
	now = arch_cycles();
	while (*queue && (*queue)->deadline <= now) {
		struct timer *timer = *queue;

		*queue = timer->next;
		timer->next = NULL;
		timer->expire(timer, regs, now);
	}
	timer_arm_later(*queue, now);
}

void timer_set_gate(void (*gate)(const struct arch_regs *regs))
{
	__atomic_store_n(&timer_gate, gate, __ATOMIC_RELEASE);
}

void timer_put_off(uint64_t cycles)
{
	for (struct timer *timer = queues[arch_cpu()]; timer; timer = timer->next)
		timer->deadline += cycles;
	timer_arm_first(queues[arch_cpu()]);
}

int timer_init(void)
{
	queues[arch_cpu()] = NULL;
	return arch_timer_init(timer_interrupt);
}

void timer_start(struct timer *timer, uint64_t deadline)
{
	timer->deadline = deadline;
	timer_insert(timer);
	if (queues[arch_cpu()] == timer)
		timer_arm_first(timer);
}

void timer_restart(struct timer *timer, uint64_t deadline)
{
	timer->deadline = deadline;
	timer_insert(timer);
}

bool timer_cancel(struct timer *timer)
{
	struct timer **link = &queues[arch_cpu()];

	while (*link && *link != timer)
		link = &(*link)->next;
	if (!*link)
		return false;
	*link = timer->next;
	timer->next = NULL;
	timer_arm_first(queues[arch_cpu()]);
	return true;
}
