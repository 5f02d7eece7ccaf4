/* SPDX-License-Identifier: MIT */
/* Run `bareperf diff`; argv[0] is its name. Returns the exit status. Main thread. */
#ifndef HOST_TOOLS_REPORT_DIFF_DIFF_H
#define HOST_TOOLS_REPORT_DIFF_DIFF_H

int command_diff(int argc, char **argv);

#endif
