/* SPDX-License-Identifier: MIT */
/* `bareperf selftest`: shows the result of a machine's self-test again. */
#ifndef HOST_TOOLS_REPORT_SELFTEST_SELFTEST_H
#define HOST_TOOLS_REPORT_SELFTEST_SELFTEST_H

#include "host-tools/report/selftest/selftest_file.h"

int command_selftest(int argc, char **argv);

/* `bareperf report --html` of a self-test: write the page to output, or to standard output if that
 * is NULL. Returns the exit status. Main thread. */
int selftest_report(const char *input, const char *output);

#endif
