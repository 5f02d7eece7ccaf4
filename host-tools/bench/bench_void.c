/* SPDX-License-Identifier: MIT */
#include "host-tools/bench/bench_void.h"

#define REFERENCE_CYCLES 2U   /* Intel's fixed counter of them: SDM volume 3B, table 20-2 */
#define RATIO_MOVED      100U /* two runs' frequencies differ by more than one part in so many */

/* Whether the counter advances with time, and not with the core's work. */
static bool bench_is_time(const struct bench_counter *counter)
{
	return counter->kind == BENCH_CLOCK || counter->kind == BENCH_REGISTER ||
	       (counter->kind == BENCH_FIXED && counter->index == REFERENCE_CYCLES);
}

/* Whether the CPU stops the counter in system management mode. */
static bool bench_is_frozen(const struct bench_noise *noise, const struct bench_counter *counter)
{
	return noise->frozen && (counter->kind == BENCH_FIXED || counter->kind == BENCH_GENERAL);
}

static bool bench_came(uint64_t count)
{
	return count && count != BENCH_UNKNOWN;
}

static bool bench_frequency_moved(const struct bench_noise *noise)
{
	uint64_t a = noise->ratio[0], b = noise->ratio[1];

	return a && b && (a > b ? a - b : b - a) > a / RATIO_MOVED;
}

unsigned bench_void(const struct bench_noise *noise, const struct bench_counter *counter)
{
	bool is_time = bench_is_time(counter);
	unsigned voids = 0;

	if (bench_came(noise->smis) && !bench_is_frozen(noise, counter))
		voids |= BENCH_VOID_SMIS;
	if (bench_came(noise->interrupts))
		voids |= BENCH_VOID_INTERRUPTS;
	if (bench_came(noise->stolen) && is_time)
		voids |= BENCH_VOID_STOLEN;
	if (bench_came(noise->machine_checks))
		voids |= BENCH_VOID_CHECKS;
	if (bench_came(noise->throttled) && is_time)
		voids |= BENCH_VOID_THROTTLED;
	if (bench_frequency_moved(noise) && is_time)
		voids |= BENCH_VOID_FREQUENCY;
	return voids;
}

const char *bench_void_name(unsigned i)
{
	static const char *const names[BENCH_VOIDS] = {
		"smis", "interrupts", "stolen", "machine_checks", "throttled", "frequency"
	};

	return names[i];
}
