/* SPDX-License-Identifier: MIT */
/* The time that something else takes from each CPU: SMM, a hypervisor, an emulator. */
#include "agent/selftest/selftest_survey.h"
#include "arch/arch.h"
#include "lib/survey/survey_machine.h"

#define PERIODS 64U /* periods of all CPUs together; each CPU gets at least one */

static struct {
	struct survey *survey;
	const struct selftest_watch *watch;
} noise;

static uint64_t noise_cycles(void)
{
	return arch_cycles();
}

static void noise_causes(uint32_t *smi, uint32_t *nmi)
{
	uint64_t count = 0;

	arch_smi_count(&count);
	*smi = (uint32_t)count;
	*nmi = (uint32_t)__atomic_load_n(&arch_spurious[arch_cpu()], __ATOMIC_RELAXED);
}

static void noise_watch_here(void *unused)
{
	unsigned cpu = arch_cpu();
	const struct survey_look look = { noise_cycles, noise_causes,
		                          cpu ? NULL : noise.watch->beat };

	(void)unused;
	survey_watch(&look, noise.survey, noise.watch->periods, &noise.survey->cpu[cpu].noise);
}

static bool noise_is_chosen(unsigned cpu)
{
	const uint64_t *cpus = noise.watch->cpus;

	return !cpus || cpus[cpu / 64] >> cpu % 64 & 1;
}

/* Beats once a second: an emulator that runs CPUs in turn makes noise of each beat. */
static void noise_await(unsigned cpu)
{
	uint64_t last = arch_cycles();

	while (!arch_cpu_idle(cpu)) {
		arch_relax();
		if (arch_cycles() - last < noise.survey->hz)
			continue;
		last = arch_cycles();
		noise.watch->beat();
	}
}

static void noise_watch_together(void)
{
	for (unsigned cpu = 1; cpu < noise.survey->cpus; cpu++) {
		if (noise_is_chosen(cpu))
			arch_cpu_run(cpu, noise_watch_here, NULL);
	}
	if (noise_is_chosen(0))
		noise_watch_here(NULL);
	for (unsigned cpu = 1; cpu < noise.survey->cpus; cpu++)
		noise_await(cpu);
}

static void noise_watch_in_turn(void)
{
	if (noise_is_chosen(0))
		noise_watch_here(NULL);
	for (unsigned cpu = 1; cpu < noise.survey->cpus; cpu++) {
		if (noise_is_chosen(cpu) && !arch_cpu_run(cpu, noise_watch_here, NULL))
			noise_await(cpu);
		noise.watch->beat();
	}
}

void selftest_watch(struct survey *s, const struct selftest_watch *watch)
{
	uint64_t ignored;

	s->has_smi = arch_smi_count(&ignored);
	noise.survey = s;
	noise.watch = watch;
	if (watch->together)
		noise_watch_together();
	else
		noise_watch_in_turn();
}

/* One CPU after the other: an emulator that runs them in turn would make noise of each other's
 * time. */
void selftest_noise(struct survey *s, unsigned most, void (*beat)(void))
{
	struct selftest_watch watch = { .periods = PERIODS / s->cpus, .beat = beat };

	if (watch.periods > most)
		watch.periods = most;
	if (!watch.periods)
		watch.periods = 1;
	selftest_watch(s, &watch);
}
