/* SPDX-License-Identifier: MIT */
/* Compares the CPUs' clocks with the boot CPU's, at the test's begin and at its end. */
#include <stdlib.h>

#include "agent/selftest/selftest_checks.h"
#include "agent/selftest/selftest_judge.h"
#include "pmu/clock/clock.h"
#include "pmu/clock/clock_sync.h"
#include "pmu/pmu.h"

static struct first_look {
	struct clock_sync sync;
	uint64_t cycles; /* the time of the measurement */
	int code;
} first_looks[TR_MAX_CPUS];

void selftest_clocks_begin(struct selftest_report *report)
{
	(void)report;
	for (unsigned cpu = 1; cpu < arch_cpu_count(); cpu++) {
		struct first_look *first = &first_looks[cpu];

		first->code = clock_sync_measure(cpu, &first->sync);
		first->cycles = arch_cycles();
	}
}

void selftest_clocks(struct selftest_report *report)
{
	for (unsigned cpu = 1; cpu < arch_cpu_count(); cpu++) {
		const struct first_look *first = &first_looks[cpu];
		struct selftest_line line = { 0 };
		struct survey_cpu *to = &report->survey->cpu[cpu];
		struct clock_sync later;
		int code = first->code ? first->code : clock_sync_measure(cpu, &later);

		if (code)
			selftest_say(&line, SELFTEST_FAIL, "the CPU does not start: %s",
			             event_error_text(code));
		else
			judge_clock(
			    &(struct selftest_clock){
			        .offset = first->sync.offset,
			        .error = first->sync.error,
			        .later_offset = later.offset,
			        .later_error = later.error,
			        .cycles = arch_cycles() - first->cycles,
			        .frequency = machine_clock.frequency,
			    },
			    &line);
		to->offset = selftest_figure_of(&line, "offset_ns");
		to->error = (uint64_t)selftest_figure_of(&line, "error_ns");
		to->drift = selftest_figure_of(&line, "drift_ppb");
		selftest_add(report, &line, "CPU %u clock", cpu);
	}
}
