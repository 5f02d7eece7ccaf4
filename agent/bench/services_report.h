/* SPDX-License-Identifier: MIT */
/* The report of `bench --uefi` as text and as JSON (docs/examples/uefi-services.md). Thread. */
#ifndef AGENT_BENCH_SERVICES_REPORT_H
#define AGENT_BENCH_SERVICES_REPORT_H

#include "agent/bench/services_run.h"
#include "lib/survey/survey.h"

/* The machine, for both. */
struct services_machine {
	char architecture[12]; /* the name that uname -m prints */
	char cpu[64];
	char firmware[64]; /* the vendor, ASCII */
	uint32_t revision; /* of the firmware, by its vendor */
	uint32_t uefi;     /* version: 16 bits major, 16 bits minor as 70 for 2.7 */
};

void services_report_text(const struct services_report *report,
                          const struct services_machine *machine, survey_print_fn print);

/* One object in one line. */
void services_report_json(const struct services_report *report,
                          const struct services_machine *machine, survey_print_fn print);

#endif
