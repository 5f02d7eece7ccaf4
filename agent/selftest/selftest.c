/* SPDX-License-Identifier: MIT */
#include "agent/selftest/selftest.h"

#include <errno.h>
#include <stdlib.h>

#include "abi/machine.h"
#include "agent/selftest/selftest_checks.h"
#include "agent/selftest/selftest_files.h"
#include "agent/selftest/selftest_survey.h"
#include "arch/arch.h"
#include "lib/console/console.h"
#include "lib/resident.h"
#include "pmu/clock/clock.h"

/* The order matters: memory is checked before bareperf uses any, clocks and leftover counters soon
 * after the start. */
static const struct {
	const char *what; /* printed as progress */
	void (*run)(struct selftest_report *report);
} checks[] = {
	{ "the machine", selftest_machine },
	{ "memory", selftest_marks },
	{ NULL, selftest_clocks_begin },
	{ "the timer", selftest_timer },
	{ "gaps", selftest_gaps },
	{ "counters", selftest_counters },
	{ "interrupts", selftest_pmi },
	{ "branches", selftest_branches },
	{ NULL, selftest_spe },
	{ "a ring", selftest_ring },
	{ "cores and memory", selftest_survey },
	{ "clocks", selftest_clocks },
};

static bool reset_is_due;
static struct selftest_report *report;
static struct trace_region *beating;

static void selftest_beat(void)
{
	trace_region_beat(beating, clock_steady());
}

int selftest_prepare(const struct command *command)
{
	int due = command->reset ? selftest_reset_is_due() : 0;

	reset_is_due = due > 0;
	return due < 0 ? due : 0;
}

static bool selftest_make_report(void)
{
	if (report)
		free(report->survey);
	free(report);
	report = calloc(1, sizeof(*report));
	if (!report)
		return false;
	report->survey = calloc(1, sizeof(*report->survey));
	report->beat = selftest_beat;
	return report->survey;
}

bool selftest_run(const struct command *command, struct trace_region *region)
{
	if (!selftest_make_report()) {
		trace_region_set_message(region, -ENOMEM, "selftest: no memory");
		trace_region_set_state(region, TR_FAILED);
		return false;
	}
	beating = region;
	report->architecture = arch_elf_machine() == EM_X86_64 ? "x86_64" : "aarch64";
	console_printf("self-test:");
	for (unsigned i = 0; i < sizeof(checks) / sizeof(checks[0]); i++) {
		if (checks[i].what)
			console_printf(" %s", checks[i].what);
		selftest_beat();
		checks[i].run(report);
	}
	console_printf("\n");
	selftest_survey_verdicts(report);
	selftest_print_text(report, console_printf);
	if (command->json)
		selftest_print_json(report, console_printf);
	region->header->exit_status = report->verdicts[SELFTEST_FAIL] ? 1 : 0;
	if (!resident_has_taken_over()) /* else the screen is the firmware's until its return */
		selftest_show_code(report->survey);
	if (reset_is_due)
		console_printf("now the requested reset\n");
	else
		trace_region_set_state(region, TR_COMPLETE);
	return reset_is_due;
}

int selftest_write_report(void)
{
	int code = report ? selftest_write_files(report) : 0;

	if (report)
		selftest_show_code(report->survey);
	return code;
}
