/* SPDX-License-Identifier: MIT */
#ifndef HOST_TOOLS_REPORT_EXPORT_EXPORT_H
#define HOST_TOOLS_REPORT_EXPORT_EXPORT_H

/* Run `bareperf export`; argv[0] is the command's name. Returns the exit status. */
int command_export(int argc, char **argv);

#endif
