/* SPDX-License-Identifier: MIT */
/* The machine's clock, made and read (abi/clock.h). */
#ifndef PMU_CLOCK_CLOCK_H
#define PMU_CLOCK_CLOCK_H

#include "abi/clock.h"
#include "arch/arch.h"

/* Make clock convert a counter of frequency Hz (1 to 2^34), with 0 ns at entry_cycles. The
 * multiplier is the largest that fits 32 bits, so the error is below 2^-31 of the time passed.
 * Sets frequency, entry_cycles, time_mult, time_shift and time_zero. */
void clock_set(struct tr_clock *clock, uint64_t frequency, uint64_t entry_cycles);

/* Cycles in a span of ns, rounded up, so that a deadline is never early; saturates at
 * 2^62. Any context. */
uint64_t clock_span_to_cycles(const struct tr_clock *clock, uint64_t ns);

/* ns in a span of cycles. Any context. */
static inline uint64_t clock_span_to_ns(const struct tr_clock *clock, uint64_t cycles)
{
	return clock_to_ns(clock, cycles) - clock->time_zero;
}

/* The machine's clock: set once by the boot path, private to the firmware (the copy in the
 * region is only published). */
extern struct tr_clock machine_clock;

/* Cycles to add to each CPU's counter for the boot CPU's; pmu/clock/clock_sync.h. Set before the
 * CPU traces. */
extern int64_t clock_offsets[TR_MAX_CPUS];

/* Cycles for which the clock was frozen; pmu/clock/clock_freeze.h. Each CPU writes its own entry,
 * while it is stalled. */
extern uint64_t clock_frozen[TR_MAX_CPUS];

static inline uint64_t clock_offset_of(unsigned cpu)
{
	return (uint64_t)clock_offsets[cpu] - __atomic_load_n(&clock_frozen[cpu], __ATOMIC_RELAXED);
}

/* Convert a reading of a CPU's counter to ns since entry, the same time on all CPUs. Any context; a
 * thread must use clock_here() instead, because a reading from before a stall of its CPU is wrong
 * afterwards. */
static inline uint64_t clock_stamp_of(unsigned cpu, uint64_t cycles)
{
	return clock_to_ns(&machine_clock, cycles + clock_offset_of(cpu));
}

/* The same conversion prepared for one CPU, for handlers: exact for the first 290 years. */
struct clock_line {
	uint64_t offset, mult, zero;
	unsigned shift;
};
struct clock_line clock_line_of(unsigned cpu);

static inline uint64_t clock_line_stamp(const struct clock_line *line, uint64_t cycles)
{
	uint64_t shifted = (cycles + line->offset) << (line->shift & 63);

	return line->zero + (uint64_t)((unsigned __int128)shifted * line->mult >> 64);
}

/* The same conversion for the calling CPU. Any context. */
uint64_t clock_stamp(uint64_t cycles);

/* ns since entry, now, on this CPU. Any context on it. */
uint64_t clock_here(unsigned cpu);

/* clock_here() of the calling CPU. Any context. */
uint64_t clock_now(void);

/* ns since entry, with the time for which clock_now() was frozen: for our own time-outs. Any
 * context. */
uint64_t clock_steady(void);

/* Let some time pass between two looks of a wait. With -icount an emulator counts a pause as one
 * instruction, but the host spends a microsecond on it. So a wait of pauses alone would last too
 * long for the host, and a sleep would be too short. The empty loop balances that. */
static inline void clock_let_time_pass(uint32_t pauses)
{
	for (unsigned i = 0; i < 64; i++)
		__asm__ volatile("");
	for (uint32_t i = 0; i < pauses; i++)
		arch_relax();
}

/* Returns the ns since the last look of a wait, but at most `most`, because the CPU may stall and
 * virtual time may jump in between. now is the time of this look. */
static inline uint64_t clock_look(uint64_t *last, uint64_t now, uint64_t most)
{
	uint64_t passed = now - *last;

	*last = now;
	return passed < most ? passed : most;
}

#endif
