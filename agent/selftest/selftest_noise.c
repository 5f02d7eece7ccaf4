/* SPDX-License-Identifier: MIT */
/* The time that something else takes from each CPU: SMM, a hypervisor, an emulator. */
#include "agent/selftest/selftest_survey.h"
#include "arch/arch.h"
#include "lib/survey/survey_machine.h"

#define PERIODS 64U /* periods of all CPUs together; each CPU gets at least one */

static struct {
	struct survey *survey;
	unsigned periods;
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

static void noise_watch(void *unused)
{
	static const struct survey_look look = { noise_cycles, noise_causes };

	(void)unused;
	survey_watch(&look, noise.survey, noise.periods, &noise.survey->cpu[arch_cpu()].noise);
}

/* One CPU after the other: an emulator that runs them in turn would make noise of each other's
 * time. */
void selftest_noise(struct survey *s, unsigned most, void (*beat)(void))
{
	uint64_t ignored;

	s->has_smi = arch_smi_count(&ignored);
	noise.survey = s;
	noise.periods = PERIODS / s->cpus < most ? PERIODS / s->cpus : most;
	if (!noise.periods)
		noise.periods = 1;
	noise_watch(NULL);
	for (unsigned cpu = 1; cpu < s->cpus; cpu++) {
		if (arch_cpu_run(cpu, noise_watch, NULL))
			continue;
		while (!arch_cpu_idle(cpu))
			arch_relax();
		beat();
	}
}
