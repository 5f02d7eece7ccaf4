/* SPDX-License-Identifier: MIT */
/* How `bareperf run -- record ...` ends: what was recorded, and what is missing. */
#ifndef HOST_TOOLS_RUN_RUN_SUMMARY_H
#define HOST_TOOLS_RUN_RUN_SUMMARY_H

#include "host-tools/run/run_machine.h"

/* Print perf's closing line; one more for each thing that the recording lacks, with the option that
 * would help; and every equation that does not hold. EXIT_OK, or RUN_NOT_CONSERVED. */
int run_summary(const struct machine *machine, const struct run_options *options);

#endif
