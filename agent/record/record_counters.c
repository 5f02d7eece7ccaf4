/* SPDX-License-Identifier: MIT */
/* Report performance counters of the traced CPUs that are not free, to the host and on the console.
 */
#include "agent/record/record_summary.h"
#include "agent/record/recording.h"
#include "lib/console/console.h"
#include "pmu/counter_census.h"

static unsigned record_counters_number(uint64_t mask)
{
	return (unsigned)__builtin_popcountll(mask);
}

static void record_counters_report(const struct recording *r, unsigned cpu)
{
	const struct counter_census *census = &counter_census[cpu];
	struct tr_cpu *entry = &r->region->cpus[cpu];
	uint64_t left = census->leftovers & census->present;
	static struct counter_census reported[TR_MAX_CPUS];

	entry->counters = census->present;
	entry->leftovers = census->leftovers;
	entry->foreign = census->foreign;
	if (left & ~reported[cpu].leftovers)
		console_printf(
		    "CPU %u: firmware left %u of %u performance counters counting (mask "
		    "0x%lx); they are stopped and cleared\n",
		    cpu, record_counters_number(left), record_counters_number(census->present),
		    left);
	if (census->leftovers & ~reported[cpu].leftovers & TR_LEFTOVERS_TRACE)
		console_printf(
		    "CPU %u: firmware left a trace of branches or memory accesses on, or a "
		    "setting that freezes counters; it is now off\n",
		    cpu);
	if (census->foreign != reported[cpu].foreign)
		console_printf(
		    "CPU %u: %u of %u performance counters %s (mask 0x%lx): firmware or a "
		    "hypervisor uses them\n",
		    cpu, record_counters_number(census->foreign),
		    record_counters_number(census->present),
		    census->dead ? "count nothing, or lose what is written to them"
		                 : "do not keep what is written to them",
		    census->foreign);
	reported[cpu] = *census;
}

static bool record_counters_is_counted(const struct recording *r, unsigned evsel)
{
	for (unsigned i = 0; i < r->nr_cpus; i++) {
		const struct perf_event *event = &r->cpus[i].events[evsel];

		if (event->state != EVENT_OFF || event->held != EVENT_OFF)
			return true;
	}
	return false;
}

const char *recording_uncounted(const struct recording *r)
{
	for (unsigned i = 0; i < r->nr_events; i++) {
		if (!record_counters_is_counted(r, i))
			return r->specs[i].name;
	}
	return NULL;
}

void recording_report_counters(const struct recording *r)
{
	for (unsigned i = 0; i < r->nr_cpus; i++)
		record_counters_report(r, r->cpus[i].cpu);
}
