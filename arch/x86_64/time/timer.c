/* SPDX-License-Identifier: MIT */
/* The local APIC's timer: TSC-deadline mode if the CPU has it, else one-shot. SDM volume 3A,
 * 11.5.4. In hosted mode that timer is the firmware's, and a comparator of the HPET is used. If
 * there is none, every counter overflow checks whether the deadline has passed. */
#include "arch/x86_64/time/timer.h"

#include <errno.h>

#include "arch/x86_64/cpu.h"
#include "arch/x86_64/interrupt/apic.h"
#include "arch/x86_64/interrupt/interrupts.h"
#include "arch/x86_64/mode.h"
#include "arch/x86_64/registers.h"
#include "arch/x86_64/time/clock.h"
#include "arch/x86_64/time/hpet.h"

#define MAX_SPAN (1ULL << 31) /* cycles of one shot; longer delays take several */

static struct {
	arch_handler_fn handler;
	uint64_t ratio; /* the timer's ticks per TSC cycle, * 2^32 */
	bool hpet;      /* an HPET comparator replaces the local APIC's timer */
	bool none;      /* no timer: counter overflows check the deadline */
	bool tsc_deadline;
	uint64_t tsc; /* Hz */
} timer;

#define FASTEST_TSC 10000000000ULL

/* Each CPU's deadline; 0: none. */
static uint64_t deadlines[ARCH_MAX_CPUS];

int arch_clock_init(struct arch_clock *clock)
{
	struct clock_rates rates;
	int code = clock_find_rates(&rates);

	if (code != 0)
		return code;
	clock->frequency = rates.tsc;
	clock->source = rates.source;
	timer.tsc = rates.tsc;
	timer.hpet = hpet_is_claimed();
	timer.none = x86_mode->lacks_timer;
	timer.ratio = ((timer.hpet ? hpet_rate() : rates.apic) << 32) / rates.tsc;
	timer.tsc_deadline = !timer.hpet && !timer.none && cpuid(1, 0).ecx & (1U << 24);
	return 0;
}

const char *arch_timer_lacks(void)
{
	return timer.none
	           ? "the firmware leaves us no timer: -e cycles samples by the CPU's counters"
	           : NULL;
}

uint64_t timer_tsc_frequency(void)
{
	return timer.tsc != 0 ? timer.tsc : FASTEST_TSC;
}

static void timer_program(uint64_t deadline)
{
	uint64_t now, span, ticks;

	if (timer.none)
		return;
	if (timer.tsc_deadline) {
		wrmsr(IA32_TSC_DEADLINE, deadline);
		return;
	}
	now = arch_cycles();
	span = deadline > now ? deadline - now : 0;
	span = span < MAX_SPAN ? span : MAX_SPAN;
	ticks = (span * timer.ratio >> 32) + 1;
	ticks = ticks < UINT32_MAX ? ticks : UINT32_MAX;
	if (timer.hpet)
		hpet_arm((uint32_t)ticks);
	else
		apic_write(APIC_TIMER_INITIAL, (uint32_t)ticks);
}

void arch_timer_arm(uint64_t deadline)
{
	deadlines[arch_cpu()] = deadline | 1; /* 0 would mean disarmed; one cycle does not matter */
	timer_program(deadline | 1);
}

void arch_timer_disarm(void)
{
	deadlines[arch_cpu()] = 0;
	if (timer.none || x86_mode->lacks_timer)
		return;
	if (timer.hpet || hpet_is_claimed()) /* the APIC's is the firmware's */
		hpet_disarm();
	else if (timer.tsc_deadline)
		wrmsr(IA32_TSC_DEADLINE, 0);
	else
		apic_write(APIC_TIMER_INITIAL, 0);
}

/* An interrupt that comes early (a long delay in pieces, or rounding) waits on; one that was
 * already on its way when the timer was disarmed is dropped. */
void timer_expired(const struct arch_regs *regs)
{
	uint64_t deadline = deadlines[arch_cpu()];

	if (deadline == 0)
		return;
	if (arch_cycles() < deadline) {
		timer_program(deadline);
		return;
	}
	deadlines[arch_cpu()] = 0;
	timer.handler(regs);
}

void timer_init_cpu(void)
{
	if (!timer.handler)
		return;
	apic_write(APIC_TIMER_DIVIDE, APIC_DIVIDE_BY_1);
	apic_write(APIC_LVT_TIMER, VECTOR_TIMER | (timer.tsc_deadline ? APIC_LVT_TSC_DEADLINE : 0));
	arch_fence(); /* 11.5.4.1: the mode must be set before the MSR is written */
	arch_timer_disarm();
}

int arch_timer_init(arch_handler_fn handler)
{
	if (timer.tsc == 0)
		return -ENODEV; /* arch_clock_init() found nothing */
	timer.handler = handler;
	if (timer.hpet || timer.none)
		return 0;
	interrupts_set_handler(VECTOR_TIMER, timer_expired);
	timer_init_cpu();
	return 0;
}
