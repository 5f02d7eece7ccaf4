/* SPDX-License-Identifier: MIT */
#include "pmu/clock/clock_sync.h"

#include "arch/arch.h"
#include "pmu/clock/clock.h"

#define ROUNDS    64U
#define BUDGET_NS 50000000ULL
#define GOODBYE   UINT64_MAX

/*
 *	boot CPU			the other CPU
 *	sent = cycles, in order
 *	store ping (release)	──▶	load ping (acquire)
 *					stamp = cycles, in order
 *	load pong (acquire)	◀──	store pong (release)
 *	back = cycles, in order
 */
static struct {
	uint64_t ping, pong, stamp;
} wire;

static void clock_sync_answer(void *unused)
{
	uint64_t last = 0, ping;

	(void)unused;
	while ((ping = __atomic_load_n(&wire.ping, __ATOMIC_ACQUIRE)) != GOODBYE) {
		if (ping == last) {
			arch_relax();
			continue;
		}
		last = ping;
		wire.stamp = arch_cycles_in_order();
		__atomic_store_n(&wire.pong, ping, __ATOMIC_RELEASE);
	}
}

/* One round trip; returns its cycles, and the offset that follows from it. */
static uint64_t clock_sync_round_trip(uint64_t number, int64_t *offset)
{
	uint64_t sent = arch_cycles_in_order(), back;

	__atomic_store_n(&wire.ping, number, __ATOMIC_RELEASE);
	while (__atomic_load_n(&wire.pong, __ATOMIC_ACQUIRE) != number)
		arch_relax();
	back = arch_cycles_in_order();
	*offset = (int64_t)(sent + (back - sent) / 2 - wire.stamp);
	return back - sent;
}

int clock_sync_measure(unsigned cpu, struct clock_sync *sync)
{
	uint64_t end = arch_cycles() + clock_span_to_cycles(&machine_clock, BUDGET_NS);
	uint64_t fastest = UINT64_MAX;
	int code;

	*sync = (struct clock_sync){ 0 };
	wire.ping = wire.pong = 0;
	code = arch_cpu_run(cpu, clock_sync_answer, NULL);
	if (code)
		return code;
	for (uint64_t i = 1; i <= ROUNDS && (i == 1 || arch_cycles() < end); i++) {
		int64_t offset;
		uint64_t cycles = clock_sync_round_trip(i, &offset);

		if (cycles < fastest) {
			fastest = cycles;
			sync->offset = offset;
		}
	}
	__atomic_store_n(&wire.ping, GOODBYE, __ATOMIC_RELEASE);
	while (!arch_cpu_idle(cpu))
		arch_relax();
	sync->error = fastest / 2 + 1;
	if ((uint64_t)(sync->offset < 0 ? -sync->offset : sync->offset) <= sync->error)
		sync->offset = 0;
	return 0;
}
