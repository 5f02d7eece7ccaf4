/* SPDX-License-Identifier: MIT */
#ifndef HOST_TOOLS_REPORT_EXPORT_EXPORT_H
#define HOST_TOOLS_REPORT_EXPORT_EXPORT_H

/* `bareperf export`: argv[0] is the command's name. The exit status. */
int command_export(int argc, char **argv);

#endif
