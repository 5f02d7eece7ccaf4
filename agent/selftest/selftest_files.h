/* SPDX-License-Identifier: MIT */
#ifndef AGENT_SELFTEST_SELFTEST_FILES_H
#define AGENT_SELFTEST_SELFTEST_FILES_H

#include "agent/selftest/selftest_report.h"

/* Write the report to the boot volume, as \bareperf\NNNN-selftest.txt and .json with the next free
 * number. The result is printed. Returns 0, or volume_write_text()'s errno. Boot services only.
 * Thread. */
int selftest_write_files(struct selftest_report *report);

#endif
