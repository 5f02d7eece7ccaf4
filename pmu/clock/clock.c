/* SPDX-License-Identifier: MIT */
#include "pmu/clock/clock.h"

#include "arch/arch.h"

struct tr_clock machine_clock;
int64_t clock_offsets[TR_MAX_CPUS];
uint64_t clock_frozen[TR_MAX_CPUS];

void clock_set(struct tr_clock *clock, uint64_t frequency, uint64_t entry_cycles)
{
	/* A part of a shifted-out count times the multiplier must fit 64 bits: shift <= 32. */
	unsigned shift = 32;
	uint64_t mult = (NSEC_PER_SEC << 32) / frequency;

	while (mult > UINT32_MAX) {
		shift--;
		mult = (NSEC_PER_SEC << shift) / frequency;
	}
	clock->frequency = frequency;
	clock->entry_cycles = entry_cycles;
	clock->time_mult = (uint32_t)mult;
	clock->time_shift = (uint16_t)shift;
	clock->time_zero = 0;
	clock->time_zero = 0 - clock_to_ns(clock, entry_cycles);
}

uint64_t clock_span_to_cycles(const struct tr_clock *clock, uint64_t ns)
{
	const uint64_t most = 1ULL << 62;
	uint64_t seconds = ns / NSEC_PER_SEC;
	uint64_t rest = ns % NSEC_PER_SEC;

	if (seconds >= most / clock->frequency)
		return most;
	/* rest < 2^30 and frequency < 2^34 for every counter known: 2^64 is out of reach. */
	return seconds * clock->frequency +
	       (rest * clock->frequency + NSEC_PER_SEC - 1) / NSEC_PER_SEC;
}

/* time_shift is at most 32, so all factors are shifted left, and the 64 upper bits are the
 * result. */
struct clock_line clock_line_of(unsigned cpu)
{
	return (struct clock_line){
		.offset = clock_offset_of(cpu),
		.mult = (uint64_t)machine_clock.time_mult << 32,
		.zero = machine_clock.time_zero,
		.shift = 32U - machine_clock.time_shift,
	};
}

uint64_t clock_stamp(uint64_t cycles)
{
	return clock_stamp_of(arch_cpu(), cycles);
}

/* Read again if the CPU stalled in between: a reading from before the stall does not fit the sum
 * from after it. */
static inline uint64_t clock_read(unsigned cpu)
{
	uint64_t frozen, cycles;

	do {
		frozen = __atomic_load_n(&clock_frozen[cpu], __ATOMIC_RELAXED);
		__atomic_signal_fence(__ATOMIC_SEQ_CST);
		cycles = arch_cycles();
		__atomic_signal_fence(__ATOMIC_SEQ_CST);
	} while (frozen != __atomic_load_n(&clock_frozen[cpu], __ATOMIC_RELAXED));
	return clock_to_ns(&machine_clock, cycles + (uint64_t)clock_offsets[cpu] - frozen);
}

uint64_t clock_here(unsigned cpu)
{
	return clock_read(cpu);
}

uint64_t clock_now(void)
{
	return clock_read(arch_cpu());
}

uint64_t clock_steady(void)
{
	return clock_to_ns(&machine_clock, arch_cycles() + (uint64_t)clock_offsets[arch_cpu()]);
}
