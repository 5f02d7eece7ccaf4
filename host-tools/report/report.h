/* SPDX-License-Identifier: MIT */
#ifndef HOST_TOOLS_REPORT_REPORT_H
#define HOST_TOOLS_REPORT_REPORT_H

/* Run `bareperf report`. Returns the exit status. */
int command_report(int argc, char **argv);

#endif
