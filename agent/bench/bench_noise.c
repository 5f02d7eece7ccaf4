/* SPDX-License-Identifier: MIT */
#include "agent/bench/bench_noise.h"

#include "arch/arch.h"
#include "arch/noise.h"
#include "arch/steal.h"

#define RATIO_CLOCKS 100000U /* of the base frequency: fewer do not show the present frequency */

static struct {
	struct arch_noise before; /* the run */
	bool steals, counts_smis;
	uint64_t smis, interrupts; /* before the call */
} watch;

void bench_noise_begin(struct bench_noise *noise)
{
	struct arch_noise now;
	uint64_t ignored;

	arch_noise_begin();
	arch_noise_read(&now);
	watch.counts_smis = arch_smi_count(&ignored);
	*noise = (struct bench_noise){ .smis = watch.counts_smis ? 0 : BENCH_UNKNOWN,
		                       .machine_checks = now.nr_banks ? 0 : BENCH_UNKNOWN,
		                       .throttled = now.logs_throttling ? 0 : BENCH_UNKNOWN };
}

void bench_noise_run_begin(void)
{
	watch.steals = arch_steal_begin();
	arch_noise_read(&watch.before);
}

static unsigned bench_noise_moved_banks(const struct arch_noise *now)
{
	unsigned moved = 0;

	for (unsigned i = 0; i < now->nr_banks; i++)
		moved += now->banks[i] != watch.before.banks[i];
	return moved;
}

void bench_noise_run_end(struct bench_noise *noise, unsigned run)
{
	struct arch_noise now;
	uint64_t clocks;

	arch_noise_read(&now);
	if (!watch.steals)
		noise->stolen = BENCH_UNKNOWN;
	else
		noise->stolen += arch_steal_end();
	if (now.nr_banks)
		noise->machine_checks += bench_noise_moved_banks(&now);
	if (now.logs_throttling)
		noise->throttled |= now.throttled;
	clocks = now.mperf - watch.before.mperf;
	if (clocks >= RATIO_CLOCKS)
		noise->ratio[run] = (uint64_t)((unsigned __int128)(now.aperf - watch.before.aperf) *
		                               BENCH_RATIO / clocks);
}

void bench_noise_call_begin(void)
{
	watch.interrupts = arch_spurious[arch_cpu()];
	if (watch.counts_smis)
		arch_smi_count(&watch.smis);
}

void bench_noise_call_end(struct bench_noise *noise)
{
	uint64_t smis = watch.smis, interrupts = arch_spurious[arch_cpu()] - watch.interrupts;

	if (watch.counts_smis)
		arch_smi_count(&smis);
	smis = (uint32_t)(smis - watch.smis);
	if (watch.counts_smis)
		noise->smis += smis;
	noise->interrupts += interrupts;
	noise->hit += smis || interrupts;
}
