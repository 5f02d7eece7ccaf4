/* SPDX-License-Identifier: MIT */
#include "agent/selftest/noise.h"

#include <errno.h>
#include <stdlib.h>

#include "agent/selftest/selftest_survey.h"
#include "arch/arch.h"
#include "lib/console/console.h"
#include "lib/print.h"
#include "lib/survey/survey_json.h"
#include "lib/survey/survey_text.h"
#include "pmu/clock/clock.h"

#define DURATION_S   10U
#define NS_IN_US     1000U
#define PERIODS_MOST (1U << 30)

static struct {
	struct trace_region *region;
	struct channel *channel;
} command_of;

static void noise_beat(void)
{
	trace_region_beat(command_of.region, clock_steady());
	channel_pump(command_of.channel);
}

static int noise_fail(struct trace_region *region, int code, const char *what)
{
	console_printf("bareperf: %s\n", what);
	trace_region_set_message(region, code, what);
	trace_region_set_state(region, TR_FAILED);
	return code;
}

/* The first CPU of the list that the machine does not have; TR_MAX_CPUS: it has all of them. */
static unsigned noise_missing(const struct command *command)
{
	unsigned cpu = arch_cpu_count();

	while (cpu < TR_MAX_CPUS && !(command->cpus[cpu / 64] >> cpu % 64 & 1))
		cpu++;
	return cpu;
}

static bool noise_names_cpus(const struct command *command)
{
	uint64_t any = 0;

	for (unsigned i = 0; i < TR_MAX_CPUS / 64; i++)
		any |= command->cpus[i];
	return any;
}

static void noise_take(const struct command *command, struct survey *s)
{
	uint64_t duration = command->duration ? command->duration : DURATION_S, periods;
	struct selftest_watch watch = { .cpus = noise_names_cpus(command) ? command->cpus : NULL,
		                        .together = !selftest_is_emulated(),
		                        .beat = noise_beat };

	selftest_identify(s);
	if (command->noise_period)
		s->period = command->noise_period * NS_IN_US;
	if (command->noise_threshold)
		s->threshold = command->noise_threshold * NS_IN_US;
	periods = duration * NSEC_PER_SEC / s->period;
	watch.periods = periods < PERIODS_MOST ? (unsigned)periods : PERIODS_MOST;
	watch.periods += !watch.periods;
	selftest_watch(s, &watch);
}

int noise_run(const struct command *command, struct trace_region *region, struct channel *channel)
{
	unsigned missing = noise_missing(command);
	char text[80];
	struct survey *s;

	print_text(text, sizeof(text), "noise: there is no CPU %u: CPUs are 0 to %u", missing,
	           arch_cpu_count() - 1);
	if (missing < TR_MAX_CPUS)
		return noise_fail(region, -EINVAL, text);
	s = calloc(1, sizeof(*s));
	if (!s)
		return noise_fail(region, -ENOMEM, "noise: no memory for the table");
	command_of.region = region;
	command_of.channel = channel;
	noise_take(command, s);
	if (command->json)
		survey_json_of_noise(s, console_printf);
	else
		survey_text_noise(s, s->cpus, console_printf);
	free(s);
	trace_region_set_state(region, TR_COMPLETE);
	return 0;
}
